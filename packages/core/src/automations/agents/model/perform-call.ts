import { type AutomationFailure, CheckedSummary } from "@querybell/domain";
import type { ToolCall } from "@querybell/models";
import { toQueryStepName } from "../step-names.ts";
import { recordCall } from "../tools/record-call.ts";
import { writeCall } from "../tools/tool-work.ts";
import { type CallAnswer, type CallContext, toProblem } from "./call-context.ts";
import { checkSummary } from "./check-summary.ts";
import type { KnownResult } from "./known-results.ts";
import { Listed, listReferences } from "./list-references.ts";
import { type ParsedCall, parseCall } from "./model-tools.ts";
import { toAnswer } from "./plain-data.ts";
import { readChanges, readGroups, readRows } from "./result-tools.ts";
import { runQuery } from "./run-query.ts";

/** A call with the name of its step, which is the same after a takeover. */
export interface PreparedCall {
  call: ToolCall;
  parsed: ParsedCall;
  stepName: string;
}

/** Names the step of a call. Queries are named by what they run, so that a run is compared with the one before. */
export function prepareCall({ work, results }: CallContext, call: ToolCall, position: string): PreparedCall {
  const parsed = parseCall(call.name, call.input);
  if (parsed.name !== "run_reference") return { call, parsed, stepName: position };
  const { shortId } = parsed.input;
  const own = work.run.brief.references.find((reference) => reference.shortId === shortId);
  // A reference that the automation does not look at is refused, and never becomes a result.
  if (!own) return { call, parsed, stepName: position };
  const parameterValues = parsed.input.parameterValues ?? own.parameterValues;
  const stepName = toQueryStepName({ shortId, parameterValues });
  results.idOf(stepName);
  return { call, parsed: { name: "run_reference", input: { shortId, parameterValues } }, stepName };
}

/** Performs a call, or answers it from its step if it had ended before a takeover. */
export async function performCall(
  context: CallContext,
  { call, parsed, stepName }: PreparedCall,
): Promise<CallAnswer> {
  const { work, results } = context;
  const inResult = async (id: string, look: (result: KnownResult) => Promise<CallAnswer>) => {
    const result = results.find(id);
    if (result) return look(result);
    return refuse(context, {
      call,
      stepName,
      problem: `There is no result ${id}. Call run_reference first.`,
    });
  };
  switch (parsed.name) {
    case null:
      return refuse(context, { call, stepName, problem: parsed.problem });
    case "list_references": {
      const options = { schema: Listed, compute: () => listReferences(work) };
      const listed = await recordCall(work, { name: stepName, tool: parsed.name, input: {} }, options);
      if (listed.kind === "failed") return toProblem(listed.failure.reason);
      return { text: toAnswer(listed.answer) };
    }
    case "run_reference":
      return runQuery(context, stepName, parsed.input);
    case "read_result": {
      const { result: id, ...input } = parsed.input;
      return inResult(id, (result) => readRows(context, { stepName, result, input }));
    }
    case "aggregate_result": {
      const { result: id, ...input } = parsed.input;
      return inResult(id, (result) => readGroups(context, { stepName, result, input }));
    }
    case "changes_since_last_run":
      return inResult(parsed.input.result, (result) => readChanges(context, { stepName, result, input: {} }));
    case "write_summary": {
      const compute = () => checkSummary(work, parsed.input.sentences, results);
      const summaryCall = { name: stepName, tool: parsed.name, input: {} };
      const checked = await recordCall(work, summaryCall, { schema: CheckedSummary, compute });
      if (checked.kind === "failed") return toProblem(checked.failure.reason);
      return { text: "", summary: checked.answer };
    }
  }
}

/** Records a call that cannot be performed. */
async function refuse(
  { work }: CallContext,
  { call, stepName, problem }: Pick<PreparedCall, "call" | "stepName"> & { problem: string },
): Promise<CallAnswer> {
  const failure: AutomationFailure = { code: "agent_failed", reason: problem };
  const shown = { name: stepName, tool: call.name, input: { arguments: call.input.slice(0, 2_000) } };
  await writeCall(work, shown, { state: "failed", text: problem, output: failure });
  return toProblem(problem);
}
