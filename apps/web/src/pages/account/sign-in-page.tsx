import { Paper, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { queryClient } from "../../api.ts";
import { buildInfo } from "../../app/build-info.ts";
import { reportSignedIn } from "../../frame/connection.ts";
import { meOptions } from "../../session/me.ts";
import { AnchorTo } from "../../ui/links.tsx";
import { ProviderProblem, ProviderSignIn } from "./provider-sign-in.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import classes from "./sign-in-page.module.css";
import { signInRoute } from "./sign-in-route.ts";

export function SignInPage() {
  const router = useRouter();
  const { to = "/", problem } = signInRoute.useSearch();
  useDocumentTitle("Sign in · Querybell");
  const openPage = async () => {
    await queryClient.fetchQuery({ ...meOptions, staleTime: 0 });
    reportSignedIn();
    await router.navigate({ href: to, replace: true });
  };
  return (
    <div className={classes.columns}>
      <section className={classes.introduction}>
        <h1>Saved SQL that rings when it is done.</h1>
        <p className={classes.lead}>
          Querybell keeps your team’s SQL queries, runs them, caches their results and shares them by
          permalink. When an automation’s run ends, it sends your systems a signed webhook.
        </p>
        <p>
          <a href="/docs/">Read the docs</a>
        </p>
      </section>
      <div>
        <Paper component="section" aria-labelledby="sign-in" withBorder shadow="sm" radius="lg" p="xl">
          <Title order={2} size="h3" mb="md" id="sign-in">
            Sign in
          </Title>
          {to !== "/" && <Text mb="md">Sign in to open this page. You are brought back to it.</Text>}
          {problem !== undefined && <ProviderProblem problem={problem} />}
          <SignInForm label="Sign in" onSignedIn={openPage} />
          <ProviderSignIn to={to} />
          <Text mt="md">
            <AnchorTo to="/forgot-password">Forgot password?</AnchorTo>
          </Text>
          <Text size="sm" c="dimmed" mt="sm">
            People join by invitation. Ask an admin of your organization for a link.
          </Text>
        </Paper>
        <ServiceStatus />
      </div>
    </div>
  );
}

interface Part {
  name: string;
  state: "ok" | "failing" | "unknown";
  text: string;
}

/** Whether api and database are up, for users who cannot sign in. */
function ServiceStatus() {
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
