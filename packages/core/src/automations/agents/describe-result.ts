import type { Report } from "@querybell/engines";
import type { ReferenceResult, ToolOutcome } from "./agent.ts";
import { computeResults } from "./tools/compute-results.ts";
import { toStoredResult } from "./tools/step-results.ts";
import { type ToolWork, toFailed, tooLargeFailure } from "./tools/tool-work.ts";

/** Computes the report about one result in an engine host. */
export async function describeResult(
  work: ToolWork,
  { title, result, previous }: ReferenceResult,
): Promise<ToolOutcome<Report>> {
  const answer = await computeResults(work, {
    operation: { name: "describe", title, today: work.deps.clock.now().toISOString().slice(0, 10) },
    results: [result, ...(previous ? [previous] : [])].map((stored) => toStoredResult(work, stored)),
  });
  return answer ? { kind: "answered", answer: answer.report } : toFailed(tooLargeFailure(title));
}
