import { type ParameterValues, ResultPreview } from "@querybell/domain";
import type { QueryAnswer, ToolOutcome } from "../agent.ts";
import { runOwnSql } from "../tools/run-own-sql.ts";
import { runReference } from "../tools/run-reference.ts";
import { type CallAnswer, type CallContext, toProblem } from "./call-context.ts";
import { type OwnValue, previousId } from "./known-results.ts";
import { toAnswer, toPlain, toRows } from "./plain-data.ts";

const shownRows = 20;

interface ReferenceCall {
  shortId: string;
  parameterValues?: ParameterValues | undefined;
}

/** Runs a reference and adds its result to those that the model can look into. */
export async function runQuery(
  context: CallContext,
  stepName: string,
  { shortId, parameterValues = {} }: ReferenceCall,
): Promise<CallAnswer> {
  const input = { shortId, parameterValues };
  const outcome = await runReference(context.work, { name: stepName, tool: "run_query", input }, input);
  const own = context.work.run.brief.references.find((reference) => reference.shortId === shortId);
  const ownValues = differingValues(parameterValues, own?.parameterValues ?? {});
  return addResult(context, { stepName, outcome, isOwnSql: false, ownValues });
}

/** The same with SQL of the model's own. */
export async function runSql(
  context: CallContext,
  stepName: string,
  { shortId, parameterValues = {}, title, sql }: ReferenceCall & { title: string; sql: string },
): Promise<CallAnswer> {
  const input = { shortId, title: toPlain(title, 120), sql, parameterValues };
  const outcome = await runOwnSql(context.work, { name: stepName, tool: "run_sql", input }, input);
  return addResult(context, { stepName, outcome, isOwnSql: true, ownValues: [] });
}

interface RunOutcome {
  stepName: string;
  outcome: ToolOutcome<QueryAnswer>;
  isOwnSql: boolean;
  ownValues: OwnValue[];
}

/** The values that are not those of the automation. */
function differingValues(given: ParameterValues, own: ParameterValues): OwnValue[] {
  const names = [...new Set([...Object.keys(given), ...Object.keys(own)])].sort();
  return names
    .filter((name) => JSON.stringify(given[name]) !== JSON.stringify(own[name]))
    .map((name) => ({ name, value: given[name] ?? null }));
}

async function addResult(
  { work, results }: CallContext,
  { stepName, outcome, isOwnSql, ownValues }: RunOutcome,
): Promise<CallAnswer> {
  if (outcome.kind === "failed") return toProblem(outcome.failure.reason);
  const { result, previous } = outcome.answer;
  const step = await work.deps.db.prisma.automationStep.findUniqueOrThrow({ where: { id: result.stepId } });
  const preview = ResultPreview.parse(step.output);
  results.add({ step: stepName, title: step.text, isOwnSql, ownValues, result, previous });
  const id = results.idOf(stepName);
  const shown = toRows({ ...preview, rows: preview.rows.slice(0, shownRows) }, (index) => index + 1);
  return { text: toAnswer({ result: id, ...(previous && { resultOfLastRun: previousId(id) }), ...shown }) };
}
