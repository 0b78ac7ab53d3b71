import { buildFacts } from "./build-facts.ts";
import { element } from "./element.ts";

type State = "ok" | "failing" | "unknown";

interface Part {
  name: string;
  state: State;
  words: string;
}

/** A list of what is running here, filled in when the server has answered. */
export function runningParts(): HTMLElement {
  const list = element(
    "ul",
    { class: "parts" },
    ...[server("unknown", "asking…"), database("unknown", "asking…")].map(item),
  );
  void lookAround().then((parts) => list.replaceChildren(...parts.map(item)));
  return element(
    "section",
    { class: "running", "aria-labelledby": "running", "aria-live": "polite" },
    element("h2", { id: "running" }, "What is running"),
    list,
    element("p", { class: "hint" }, `Version ${buildFacts.version}`),
  );
}

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

const server = (state: State, words: string): Part => ({ name: "API", state, words });
const database = (state: State, words: string): Part => ({ name: "Database", state, words });

const item = ({ name, state, words }: Part): HTMLElement =>
  element("li", { class: state }, element("strong", {}, name), element("span", {}, words));

const ask = (path: string): Promise<Response | undefined> => fetch(path).catch(() => undefined);

async function detailOf(answer: Response | undefined): Promise<string | undefined> {
  const body: unknown = await answer?.json().catch(() => undefined);
  const isProblem = typeof body === "object" && body !== null && "detail" in body;
  return isProblem && typeof body.detail === "string" ? body.detail : undefined;
}
