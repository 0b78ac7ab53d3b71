import { AppError, type ParameterValues, ResultPreview } from "@querybell/domain";
import type { ResultOperation } from "@querybell/summaries";
import { z } from "zod";
import { toPlain } from "../../../plain-text.ts";
import type { QueryAnswer, ToolOutcome } from "../agent.ts";
import { runModelSql, runReference } from "../tools/run-reference.ts";
import { computeResults, toStoredResult } from "../tools/step-results.ts";
import { recordCall, tooLargeFailure } from "../tools/tool-call.ts";
import { type CallAnswer, toAnswer, toProblem, toRows } from "./call-answers.ts";
import { type CallContext, type KnownResult, type ModelValue, previousId } from "./known-results.ts";

const shownRows = 20;

interface ReferenceCall {
  shortId: string;
  parameterValues?: ParameterValues | undefined;
}

/** Runs a reference and adds its result to those that the model can look into. */
export async function runReferenceTool(
  context: CallContext,
  stepName: string,
  { shortId, parameterValues = {} }: ReferenceCall,
): Promise<CallAnswer> {
  const input = { shortId, parameterValues };
  const outcome = await runReference(context.work, { name: stepName, tool: "run_query", input }, input);
  const own = context.work.run.brief.references.find((reference) => reference.shortId === shortId);
  const modelValues = differingValues(parameterValues, own?.parameterValues ?? {});
  return addResult(context, { stepName, outcome, isOwnSql: false, modelValues });
}

/** The same with SQL that the model wrote. */
export async function runSqlTool(
  context: CallContext,
  stepName: string,
  { shortId, parameterValues = {}, title, sql }: ReferenceCall & { title: string; sql: string },
): Promise<CallAnswer> {
  const input = { shortId, title: toPlain(title, 120), sql, parameterValues };
  const outcome = await runModelSql(context.work, { name: stepName, tool: "run_sql", input }, input);
  return addResult(context, { stepName, outcome, isOwnSql: true, modelValues: [] });
}

interface RunOutcome {
  stepName: string;
  outcome: ToolOutcome<QueryAnswer>;
  isOwnSql: boolean;
  modelValues: ModelValue[];
}

/** The values that are not those of the automation. */
function differingValues(given: ParameterValues, own: ParameterValues): ModelValue[] {
  const names = [...new Set([...Object.keys(given), ...Object.keys(own)])].sort();
  return names
    .filter((name) => JSON.stringify(given[name]) !== JSON.stringify(own[name]))
    .map((name) => ({ name, value: given[name] ?? null }));
}

async function addResult(
  { work, results }: CallContext,
  { stepName, outcome, isOwnSql, modelValues }: RunOutcome,
): Promise<CallAnswer> {
  if (outcome.kind === "failed") return toProblem(outcome.failure.reason);
  const { result, previous } = outcome.answer;
  const step = await work.deps.db.prisma.automationStep.findUniqueOrThrow({ where: { id: result.stepId } });
  const preview = ResultPreview.parse(step.output);
  results.add({ step: stepName, title: step.text, isOwnSql, modelValues, result, previous });
  const id = results.idOf(stepName);
  const shown = toRows({ ...preview, rows: preview.rows.slice(0, shownRows) }, (index) => index + 1);
  return { text: toAnswer({ result: id, ...(previous && { resultOfLastRun: previousId(id) }), ...shown }) };
}

interface ResultCall {
  stepName: string;
  result: KnownResult;
}

type ReadOperation = Extract<ResultOperation, { name: "page" | "aggregate" }>;

const ReadRows = ResultPreview.extend({ rowNumbers: z.array(z.int()).optional() });

/** Filters, sorts and pages a result, or groups it and computes measures of the groups, in an engine host. */
export async function readResultTool(
  { work }: CallContext,
  { stepName, result }: ResultCall,
  operation: ReadOperation,
): Promise<CallAnswer> {
  const compute = async () => {
    const answer = await computeResults(work, {
      operation,
      results: [toStoredResult(work, result.stored)],
    });
    if (!answer) throw tooLarge(result);
    if ("problem" in answer.rows) throw new AppError("invalid_request", answer.rows.problem);
    const { preview, rowNumbers } = answer.rows;
    return { ...preview, ...(rowNumbers && { rowNumbers }) };
  };
  const [tool, input] =
    operation.name === "page" ? ["read_result", operation.page] : ["aggregate_result", operation.aggregate];
  const call = { name: stepName, tool, input: shown(result, input) };
  const read = await recordCall(work, call, { schema: ReadRows, compute });
  if (read.kind === "failed") return toProblem(read.failure.reason);
  return { text: toAnswer(toRows(read.answer, (index) => read.answer.rowNumbers?.[index])) };
}

const Changes = z.object({ changes: z.array(z.string()) });

/** How a result differs from that of the run before, in sentences. */
export async function readChangesTool(
  { work, results }: CallContext,
  { stepName, result }: ResultCall,
): Promise<CallAnswer> {
  const compute = async () => {
    const previous = results.find(previousId(result.id))?.stored;
    if (!previous) return { changes: ["No earlier run of this automation has read the same."] };
    const answer = await computeResults(work, {
      operation: { name: "changes" },
      results: [result.stored, previous].map((stored) => toStoredResult(work, stored)),
    });
    if (!answer) throw tooLarge(result);
    return { changes: answer.changes.map((sentence) => toPlain(sentence, 600)) };
  };
  const call = { name: stepName, tool: "changes_since_last_run", input: shown(result, {}) };
  const read = await recordCall(work, call, { schema: Changes, compute });
  return read.kind === "failed" ? toProblem(read.failure.reason) : { text: toAnswer(read.answer) };
}

const tooLarge = ({ title }: KnownResult) => new AppError("query_failed", tooLargeFailure(title).reason);

/** The input as the chat shows it: with the title in place of an id that people do not know. */
const shown = ({ title }: KnownResult, input: object) => JSON.parse(JSON.stringify({ title, ...input }));
