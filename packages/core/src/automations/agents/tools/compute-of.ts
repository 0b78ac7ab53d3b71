import { AppError } from "@querybell/domain";
import type { ComputeOutcome, ComputeRequest, ResultOperation } from "@querybell/engines";
import type { ToolWork } from "./tool-work.ts";

type Answer<Name extends ResultOperation["name"]> = Extract<
  ComputeOutcome<Name>,
  { kind: "computed" }
>["answer"];

/** What an engine host computes of stored results for a run; undefined where they are too large for one. */
export async function computeOf<Name extends ResultOperation["name"]>(
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
      throw new Error(`A result could not be computed with: ${message}`);
  }
}
