import { type ParameterValues, ResultPreview } from "@querybell/domain";
import { runReference } from "../tools/run-reference.ts";
import { type CallAnswer, type CallContext, toProblem } from "./call-context.ts";
import { previousId } from "./known-results.ts";
import { toAnswer, toRows } from "./plain-data.ts";

const shownRows = 20;

/** Runs a reference and adds its result to those that the model can look into. */
export async function runQuery(
  { work, results }: CallContext,
  stepName: string,
  { shortId, parameterValues = {} }: { shortId: string; parameterValues?: ParameterValues | undefined },
): Promise<CallAnswer> {
  const input = { shortId, parameterValues };
  const outcome = await runReference(work, { name: stepName, tool: "run_query", input }, input);
  if (outcome.kind === "failed") return toProblem(outcome.failure.reason);
  const { result, previous } = outcome.answer;
  const step = await work.deps.db.prisma.automationStep.findUniqueOrThrow({ where: { id: result.stepId } });
  const preview = ResultPreview.parse(step.output);
  results.add({ step: stepName, title: step.text, result, previous, preview });
  const id = results.idOf(stepName);
  const shown = toRows({ ...preview, rows: preview.rows.slice(0, shownRows) }, (index) => index + 1);
  return { text: toAnswer({ result: id, ...(previous && { resultOfLastRun: previousId(id) }), ...shown }) };
}
