import { lockQuery } from "../../../queries/get-query.ts";
import { prepareRun, readStatement, readValues } from "../../../runs/prepare-run.ts";
import { createOrJoinRunIn } from "../../../runs/start-run.ts";
import { triggerOfAutomationRun } from "../../runs/automation-run-row.ts";
import type { QueryAnswer, RunReference, ToolOutcome } from "../agent.ts";
import { findReference } from "./find-reference.ts";
import { runStepQuery } from "./run-step-query.ts";
import type { Call, ToolWork } from "./tool-work.ts";

/** Runs a reference's query as a step, or joins the unfinished run with equal values. */
export async function runReference(
  work: ToolWork,
  call: Call,
  { shortId, parameterValues: given }: RunReference,
): Promise<ToolOutcome<QueryAnswer>> {
  const { deps, run } = work;
  const title = run.brief.references.find((reference) => reference.shortId === shortId)?.title ?? "";
  return runStepQuery(work, call, {
    title,
    isOwnSql: false,
    async start(tx) {
      const found = await findReference(tx, run, shortId);
      if ("failure" in found) return { kind: "refused", failure: found.failure };
      const query = await lockQuery(tx, run, found.query.id);
      const statement = await readStatement(tx, query);
      const values = await readValues(tx, statement, { queryId: query.id, shortId, given });
      const prepared = prepareRun(statement, values, deps.clock);
      const triggerId = triggerOfAutomationRun(run.id);
      return createOrJoinRunIn({ ...deps, tx }, { query, triggerId, ...prepared });
    },
    explain: ({ message }) => `"${title}" could not be run: ${message}`,
  });
}
