import { type AutomationFailure, CheckedSummary, type ParameterValues } from "@querybell/domain";
import type { ToolCall } from "@querybell/models";
import { DescribedSchema, describeSchema } from "../tools/describe-schema.ts";
import { recordCall, toQueryStepName, toSqlStepName, writeCall } from "../tools/tool-call.ts";
import { type CallAnswer, toAnswer, toPlainTables, toProblem } from "./call-answers.ts";
import { checkSummary } from "./check-summary.ts";
import { DescribedReferences, describeReferences } from "./describe-references.ts";
import type { CallContext, KnownResult } from "./known-results.ts";
import { type ParsedCall, parseCall } from "./model-tools.ts";
import { readChangesTool, readResultTool, runReferenceTool, runSqlTool } from "./result-tools.ts";

/** A call with the name of its step, which is the same after a takeover. */
export interface PreparedCall {
  call: ToolCall;
  parsed: ParsedCall;
  stepName: string;
}

/** Names the step of a call. Queries are named by what they run, so that a run is compared with the one before. */
export function prepareCall({ work, results }: CallContext, call: ToolCall, position: string): PreparedCall {
  const { brief } = work.run;
  const parsed = parseCall(call, brief);
  if (parsed.name !== "run_reference" && parsed.name !== "run_sql")
    return { call, parsed, stepName: position };
  const own = brief.references.find(({ shortId }) => shortId === parsed.input.shortId);
  // A reference that is not one of the automation's is refused, and never becomes a result.
  if (!own) return { call, parsed, stepName: position };
  const query = withValues(parsed, own.parameterValues);
  const stepName = query.name === "run_sql" ? toSqlStepName(query.input) : toQueryStepName(query.input);
  results.idOf(stepName);
  return { call, parsed: query, stepName };
}

type QueryCall = Extract<ParsedCall, { name: "run_reference" | "run_sql" }>;

/** A reference runs with the automation's values unless the model gives others. SQL has only those of the model. */
function withValues(call: QueryCall, automationValues: ParameterValues) {
  const { parameterValues } = call.input;
  return call.name === "run_sql"
    ? { name: call.name, input: { ...call.input, parameterValues: parameterValues ?? {} } }
    : { name: call.name, input: { ...call.input, parameterValues: parameterValues ?? automationValues } };
}

/** Calls a tool, or answers from the step of the call if it had ended before a takeover. */
export async function callTool(
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
      const options = { schema: DescribedReferences, compute: () => describeReferences(work) };
      const listed = await recordCall(work, { name: stepName, tool: parsed.name, input: {} }, options);
      if (listed.kind === "failed") return toProblem(listed.failure.reason);
      return { text: toAnswer(listed.answer) };
    }
    case "run_reference":
      return runReferenceTool(context, stepName, parsed.input);
    case "describe_schema": {
      const schemaCall = { name: stepName, tool: parsed.name, input: { ...parsed.input } };
      const options = { schema: DescribedSchema, compute: () => describeSchema(work, parsed.input) };
      const described = await recordCall(work, schemaCall, options);
      if (described.kind === "failed") return toProblem(described.failure.reason);
      return { text: toAnswer(toPlainTables(described.answer)) };
    }
    case "run_sql":
      return runSqlTool(context, stepName, parsed.input);
    case "read_result": {
      const { result: id, ...page } = parsed.input;
      return inResult(id, (result) => readResultTool(context, { stepName, result }, { name: "page", page }));
    }
    case "aggregate_result": {
      const { result: id, ...aggregate } = parsed.input;
      return inResult(id, (result) =>
        readResultTool(context, { stepName, result }, { name: "aggregate", aggregate }),
      );
    }
    case "changes_since_last_run":
      return inResult(parsed.input.result, (result) => readChangesTool(context, { stepName, result }));
    case "write_summary": {
      const compute = () => checkSummary(work, parsed.input, results);
      const summaryCall = { name: stepName, tool: parsed.name, input: {} };
      const checked = await recordCall(work, summaryCall, { schema: CheckedSummary, compute });
      if (checked.kind === "failed") return toProblem(checked.failure.reason);
      return { text: "", summary: checked.answer };
    }
  }
}

/** Records a call that is refused. */
async function refuse(
  { work }: CallContext,
  { call, stepName, problem }: Pick<PreparedCall, "call" | "stepName"> & { problem: string },
): Promise<CallAnswer> {
  const failure: AutomationFailure = { code: "agent_failed", reason: problem };
  const shown = { name: stepName, tool: call.name, input: { arguments: call.input.slice(0, 2_000) } };
  await writeCall(work, shown, { state: "failed", text: problem, output: failure });
  return toProblem(problem);
}
