import { Paper, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { buildInfo } from "../../app/build-info.ts";
import classes from "./service-status.module.css";

interface Part {
  name: string;
  state: "ok" | "failing" | "unknown";
  text: string;
}

/** Whether api and database are up, for users who cannot sign in. */
export function ServiceStatus() {
  const { data: parts = checking } = useQuery({ queryKey: ["service status"], queryFn: readStatus });
  return (
    <Paper
      component="section"
      aria-labelledby="running"
      aria-live="polite"
      withBorder
      radius="lg"
      p="lg"
      mt="lg"
      bg="transparent"
    >
      <Title order={2} size="h5" id="running" mb="xs">
        What is running
      </Title>
      <ul className={classes.parts}>
        {parts.map(({ name, state, text }) => (
          <li key={name} data-state={state}>
            <strong>{name}</strong>
            <span>{text}</span>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        Version {buildInfo.version}
      </Text>
    </Paper>
  );
}

const apiPart = (state: Part["state"], text: string): Part => ({ name: "API", state, text });
const databasePart = (state: Part["state"], text: string): Part => ({ name: "Database", state, text });
const checking = [apiPart("unknown", "checking…"), databasePart("unknown", "checking…")];

async function readStatus(): Promise<Part[]> {
  const [health, readiness] = await Promise.all([fetchOrUndefined("/healthz"), fetchOrUndefined("/readyz")]);
  if (!health) return [apiPart("failing", "does not answer"), databasePart("unknown", "not known")];
  return [
    apiPart("ok", "running"),
    readiness?.ok
      ? databasePart("ok", "connected, migrations applied")
      : databasePart("failing", (await detailOf(readiness)) ?? "not ready"),
  ];
}

const fetchOrUndefined = (path: string): Promise<Response | undefined> => fetch(path).catch(() => undefined);

async function detailOf(answer: Response | undefined): Promise<string | undefined> {
  const body: unknown = await answer?.json().catch(() => undefined);
  const isProblem = typeof body === "object" && body !== null && "detail" in body;
  return isProblem && typeof body.detail === "string" ? body.detail : undefined;
}
