import { type ParameterValues, ResultPreview } from "@querybell/domain";
import type { QueryAnswer, ToolOutcome } from "../agent.ts";
import { runOwnSql } from "../tools/run-own-sql.ts";
import { runReference } from "../tools/run-reference.ts";
import { type CallAnswer, type CallContext, toProblem } from "./call-context.ts";
import { previousId } from "./known-results.ts";
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
  return addResult(context, { stepName, outcome, isOwnSql: false });
}

/** The same with SQL of the model's own. */
export async function runSql(
  context: CallContext,
  stepName: string,
  { shortId, parameterValues = {}, title, sql }: ReferenceCall & { title: string; sql: string },
): Promise<CallAnswer> {
  const input = { shortId, title: toPlain(title, 120), sql, parameterValues };
  const outcome = await runOwnSql(context.work, { name: stepName, tool: "run_sql", input }, input);
  return addResult(context, { stepName, outcome, isOwnSql: true });
}

interface RunOutcome {
  stepName: string;
  outcome: ToolOutcome<QueryAnswer>;
  isOwnSql: boolean;
}

async function addResult(
  { work, results }: CallContext,
  { stepName, outcome, isOwnSql }: RunOutcome,
): Promise<CallAnswer> {
  if (outcome.kind === "failed") return toProblem(outcome.failure.reason);
  const { result, previous } = outcome.answer;
  const step = await work.deps.db.prisma.automationStep.findUniqueOrThrow({ where: { id: result.stepId } });
  const preview = ResultPreview.parse(step.output);
  results.add({ step: stepName, title: step.text, isOwnSql, result, previous, preview });
  const id = results.idOf(stepName);
  const shown = toRows({ ...preview, rows: preview.rows.slice(0, shownRows) }, (index) => index + 1);
  return { text: toAnswer({ result: id, ...(previous && { resultOfLastRun: previousId(id) }), ...shown }) };
}
