import type { Report } from "@querybell/engines";
import type { ReferenceResult, ToolOutcome } from "./agent.ts";
import { computeOf } from "./tools/compute-of.ts";
import { storedResultOfStep } from "./tools/kept-results.ts";
import { failedWith, type ToolWork, tooLargeFailure } from "./tools/tool-work.ts";

/** Everything that there is to say of one result, computed in an engine host. */
export async function describeResult(
  work: ToolWork,
  { title, result, previous }: ReferenceResult,
): Promise<ToolOutcome<Report>> {
  const answer = await computeOf(work, {
    operation: { name: "describe", title },
    results: [result, ...(previous ? [previous] : [])].map((kept) => storedResultOfStep(work, kept)),
  });
  return answer ? { kind: "answered", answer: answer.report } : failedWith(tooLargeFailure(title));
}
