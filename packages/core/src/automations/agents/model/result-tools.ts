import { AppError, ResultPreview } from "@querybell/domain";
import type { ResultAggregate, ResultPage } from "@querybell/engines";
import { z } from "zod";
import { computeResults } from "../tools/compute-results.ts";
import { recordCall } from "../tools/record-call.ts";
import { toStoredResult } from "../tools/step-results.ts";
import { tooLargeFailure } from "../tools/tool-work.ts";
import { type CallAnswer, type CallContext, toProblem } from "./call-context.ts";
import { type KnownResult, previousId } from "./known-results.ts";
import { toAnswer, toPlain, toRows } from "./plain-data.ts";

interface ResultCall<Input> {
  stepName: string;
  result: KnownResult;
  input: Input;
}

const NumberedPreview = ResultPreview.extend({ rowNumbers: z.array(z.int()) });

/** Filters, sorts and pages a result in an engine host. */
export async function readRows(
  { work }: CallContext,
  { stepName, result, input: page }: ResultCall<ResultPage>,
): Promise<CallAnswer> {
  const compute = async () => {
    const answer = await computeResults(work, {
      operation: { name: "page", page },
      results: [toStoredResult(work, result.stored)],
    });
    if (!answer) throw tooLarge(result);
    if ("problem" in answer.page) throw new AppError("invalid_request", answer.page.problem);
    return { ...answer.page.preview, rowNumbers: answer.page.rowNumbers };
  };
  const call = { name: stepName, tool: "read_result", input: shown(result, page) };
  const read = await recordCall(work, call, { schema: NumberedPreview, compute });
  if (read.kind === "failed") return toProblem(read.failure.reason);
  return { text: toAnswer(toRows(read.answer, (index) => read.answer.rowNumbers[index])) };
}

/** Groups a result and computes measures of the groups in an engine host. */
export async function readGroups(
  { work }: CallContext,
  { stepName, result, input: aggregate }: ResultCall<ResultAggregate>,
): Promise<CallAnswer> {
  const compute = async () => {
    const answer = await computeResults(work, {
      operation: { name: "aggregate", aggregate },
      results: [toStoredResult(work, result.stored)],
    });
    if (!answer) throw tooLarge(result);
    if ("problem" in answer.aggregate) throw new AppError("invalid_request", answer.aggregate.problem);
    return answer.aggregate.preview;
  };
  const call = { name: stepName, tool: "aggregate_result", input: shown(result, aggregate) };
  const read = await recordCall(work, call, { schema: ResultPreview, compute });
  if (read.kind === "failed") return toProblem(read.failure.reason);
  return { text: toAnswer(toRows(read.answer, () => undefined)) };
}

const Changes = z.object({ changes: z.array(z.string()) });

/** How a result differs from that of the run before, in sentences. */
export async function readChanges(
  { work, results }: CallContext,
  { stepName, result }: ResultCall<object>,
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
