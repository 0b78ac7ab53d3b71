import { AppError, shownColumnsOf, Visualization } from "@querybell/domain";
import { type Report, writeDigest } from "@querybell/summaries";
import type { Agent, ReferenceResult, StepResult, ToolOutcome } from "./agent.ts";
import { computeResults, toStoredResult } from "./tools/step-results.ts";
import { type ToolWork, toFailed, tooLargeFailure, toQueryStepName } from "./tools/tool-call.ts";

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

/**
 * Computes the report about one result in an engine host. If another run ends meanwhile, it deletes the
 * previous result, and there is nothing to compare with. That happens to trials, whose automation may run at
 * the same time.
 */
export async function describeResult(
  work: ToolWork,
  { shortId, title, result, previous }: ReferenceResult,
): Promise<ToolOutcome<Report>> {
  const shownColumns = await readShownColumns(work, shortId);
  const today = work.deps.clock.now().toISOString().slice(0, 10);
  const compute = (results: StepResult[]) =>
    computeResults(work, {
      operation: { name: "describe", title, today, shownColumns },
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

/** The columns that the chart of a reference shows. */
async function readShownColumns({ deps, run }: ToolWork, shortId: string): Promise<string[]> {
  const id = run.brief.references.find((reference) => reference.shortId === shortId)?.id;
  if (id === undefined) return [];
  const { organizationId } = run;
  const row = await deps.db.prisma.queryReference.findFirst({
    where: { id, organizationId, deletedAt: null },
    select: { visualization: true },
  });
  const { data } = Visualization.safeParse(row?.visualization);
  return data ? shownColumnsOf(data) : [];
}
