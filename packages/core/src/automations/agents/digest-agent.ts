import { type Report, writeDigest } from "@querybell/summaries";
import type { Agent } from "./agent.ts";
import { toQueryStepName } from "./step-names.ts";

/** Runs every reference of the automation and summarizes the results and their changes in a few sentences. */
export const digestAgent: Agent = async ({ brief, tools, describe, signal }) => {
  const listed = await tools.list_references.call("list_references", {});
  if (listed.kind === "failed") return listed;
  const titles = new Map(listed.answer.map(({ shortId, title }) => [shortId, title]));
  const reports: Report[] = [];
  for (const { shortId, title, parameterValues } of brief.references) {
    signal.throwIfAborted();
    const input = { shortId, parameterValues };
    const outcome = await tools.run_query.call(toQueryStepName(input), input);
    if (outcome.kind === "failed") return outcome;
    const { result, previous } = outcome.answer;
    const described = await describe({ shortId, title: titles.get(shortId) ?? title, result, previous });
    if (described.kind === "failed") return described;
    reports.push(described.answer);
  }
  return { kind: "completed", summary: writeDigest(reports) };
};
