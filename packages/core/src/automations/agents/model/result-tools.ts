import { AppError, ResultPreview } from "@querybell/domain";
import type { ResultOperation } from "@querybell/summaries";
import { z } from "zod";
import { computeResults } from "../tools/compute-results.ts";
import { recordCall } from "../tools/record-call.ts";
import { toStoredResult } from "../tools/step-results.ts";
import { tooLargeFailure } from "../tools/tool-work.ts";
import { type CallAnswer, type CallContext, toProblem } from "./call-context.ts";
import { type KnownResult, previousId } from "./known-results.ts";
import { toAnswer, toPlain, toRows } from "./plain-data.ts";

interface ResultCall {
  stepName: string;
  result: KnownResult;
}

type ReadOperation = Extract<ResultOperation, { name: "page" | "aggregate" }>;

const ReadRows = ResultPreview.extend({ rowNumbers: z.array(z.int()).optional() });

/** Filters, sorts and pages a result, or groups it and computes measures of the groups, in an engine host. */
export async function readResult(
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
export async function readChanges(
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
