import { AppError } from "@querybell/domain";
import type { ComputeOutcome, ComputeRequest } from "@querybell/engine-hosts";
import type { ResultOperation } from "@querybell/summaries";
import type { ToolWork } from "./tool-work.ts";

type Answer<Name extends ResultOperation["name"]> = Extract<
  ComputeOutcome<Name>,
  { kind: "computed" }
>["answer"];

/** Computes an operation on stored results in an engine host. Undefined when the results are too large for it. */
export async function computeResults<Name extends ResultOperation["name"]>(
  { deps, run, signal }: ToolWork,
  request: Omit<ComputeRequest<Name>, "organizationId">,
): Promise<Answer<Name> | undefined> {
  const { organizationId } = run;
  const outcome = await deps.engines.compute({ organizationId, ...request }, { signal });
  if (outcome.kind === "computed") return outcome.answer;
  const { code, message } = outcome.failure;
  switch (code) {
    case "out_of_memory":
    case "query_timeout":
      return undefined;
    case "cancelled":
      signal.throwIfAborted();
      throw new AppError("unavailable", message);
    default:
      throw new Error(`Computing a stored result failed: ${message}`);
  }
}
