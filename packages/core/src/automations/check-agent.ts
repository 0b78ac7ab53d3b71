import { AppError, type AutomationAgent, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { findModel } from "../models/find-model.ts";

/** Throws if the agent is `model` and the organization has none that it may use. */
export async function checkAgent(deps: Deps, caller: Caller, agent: AutomationAgent): Promise<void> {
  if (agent !== "model") return;
  const model = await findModel(deps, caller);
  if (model.kind === "missing") {
    throw new AppError("model_missing", model.reason, { errors: [{ path: "agent", message: model.reason }] });
  }
}
