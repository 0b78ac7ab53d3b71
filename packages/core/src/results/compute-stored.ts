import { AppError } from "@querybell/domain";
import type { ComputeOutcome, ComputeRequest } from "@querybell/engine-hosts";
import type { ResultOperation } from "@querybell/summaries";
import type { Deps } from "../deps.ts";

export type ComputedAnswer<Name extends ResultOperation["name"]> = Extract<
  ComputeOutcome<Name>,
  { kind: "computed" }
>["answer"];

/** Computes an operation on stored results in an engine host. Undefined when the results are too large for it. */
export async function computeStored<Name extends ResultOperation["name"]>(
  { engines }: Pick<Deps, "engines">,
  request: ComputeRequest<Name>,
  signal: AbortSignal,
): Promise<ComputedAnswer<Name> | undefined> {
  const outcome = await engines.compute(request, { signal });
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
