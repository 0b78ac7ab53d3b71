import { Paper, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { buildFacts } from "../../app/build-facts.ts";
import classes from "./running-parts.module.css";

interface Part {
  name: string;
  state: "ok" | "failing" | "unknown";
  words: string;
}

/** What is running here, for whoever wonders why they cannot sign in. */
export function RunningParts() {
  const { data: parts = asking } = useQuery({ queryKey: ["running parts"], queryFn: lookAround });
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
        {parts.map(({ name, state, words }) => (
          <li key={name} data-state={state}>
            <strong>{name}</strong>
            <span>{words}</span>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        Version {buildFacts.version}
      </Text>
    </Paper>
  );
}

const server = (state: Part["state"], words: string): Part => ({ name: "API", state, words });
const database = (state: Part["state"], words: string): Part => ({ name: "Database", state, words });
const asking = [server("unknown", "asking…"), database("unknown", "asking…")];

async function lookAround(): Promise<Part[]> {
  const [health, readiness] = await Promise.all([ask("/healthz"), ask("/readyz")]);
  if (!health) return [server("failing", "does not answer"), database("unknown", "not known")];
  return [
    server("ok", "running"),
    readiness?.ok
      ? database("ok", "connected, migrations applied")
      : database("failing", (await detailOf(readiness)) ?? "not ready"),
  ];
}

const ask = (path: string): Promise<Response | undefined> => fetch(path).catch(() => undefined);

async function detailOf(answer: Response | undefined): Promise<string | undefined> {
  const body: unknown = await answer?.json().catch(() => undefined);
  const isProblem = typeof body === "object" && body !== null && "detail" in body;
  return isProblem && typeof body.detail === "string" ? body.detail : undefined;
}
