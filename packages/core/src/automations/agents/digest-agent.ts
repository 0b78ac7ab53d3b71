import { createHash } from "node:crypto";
import { type Report, writeDigest } from "@querybell/engines";
import type { Agent, RunReference } from "./agent.ts";

/** Looks at every reference of the automation, and says in a few sentences what is there and what has changed. */
export const digestAgent: Agent = async ({ brief, tools, describe, signal }) => {
  const listed = await tools.list_references.call("list_references", {});
  if (listed.kind === "failed") return listed;
  const titles = new Map(listed.answer.map(({ shortId, title }) => [shortId, title]));
  const reports: Report[] = [];
  for (const { shortId, title, parameterValues } of brief.references) {
    signal.throwIfAborted();
    const input = { shortId, parameterValues };
    const outcome = await tools.run_query.call(nameOf(input), input);
    if (outcome.kind === "failed") return outcome;
    const { result, previous } = outcome.answer;
    const described = await describe({ title: titles.get(shortId) ?? title, result, previous });
    if (described.kind === "failed") return described;
    reports.push(described.answer);
  }
  return { kind: "completed", summary: writeDigest(reports) };
};

/** The same for the same values in every run: that is how a run is compared with the one before. */
function nameOf({ shortId, parameterValues }: RunReference): string {
  const values = Object.entries(parameterValues).sort(([a], [b]) => (a < b ? -1 : 1));
  if (values.length === 0) return `run_query:${shortId}`;
  const hash = createHash("sha256").update(JSON.stringify(values)).digest("base64url");
  return `run_query:${shortId}:${hash.slice(0, 10)}`;
}
