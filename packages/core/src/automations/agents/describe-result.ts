import { AppError } from "@querybell/domain";
import type { Report } from "@querybell/engines";
import type { ReferenceResult, StepResult, ToolOutcome } from "./agent.ts";
import { computeResults } from "./tools/compute-results.ts";
import { toStoredResult } from "./tools/step-results.ts";
import { type ToolWork, toFailed, tooLargeFailure } from "./tools/tool-work.ts";

/**
 * Computes the report about one result in an engine host. A run that ends meanwhile deletes the previous result: there is
 * then nothing to compare with. That happens to trials, whose automation may run at the same time.
 */
export async function describeResult(
  work: ToolWork,
  { title, result, previous }: ReferenceResult,
): Promise<ToolOutcome<Report>> {
  const compute = (results: StepResult[]) =>
    computeResults(work, {
      operation: { name: "describe", title, today: work.deps.clock.now().toISOString().slice(0, 10) },
      results: results.map((stored) => toStoredResult(work, stored)),
    });
  const answer = previous
    ? await compute([result, previous]).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "result_expired") return compute([result]);
        throw error;
      })
    : await compute([result]);
  return answer ? { kind: "answered", answer: answer.report } : toFailed(tooLargeFailure(title));
}
