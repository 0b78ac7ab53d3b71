import { AppError, type Caller, type CorrectModelUsage, type ModelSettings } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { monthOf, readUsedTokens } from "./find-model.ts";
import { getModel } from "./get-model.ts";

/** Sets the tokens that count as used in a month. Requests under way still settle what they have reserved. */
export async function correctModelUsage(
  deps: Deps,
  caller: Caller,
  { month: text, tokens }: CorrectModelUsage,
): Promise<ModelSettings> {
  const { organizationId } = caller;
  const month = new Date(`${text}-01T00:00:00Z`);
  if (month > monthOf(deps.clock.now())) {
    const message = "This month has not begun. Choose the current one or an earlier one.";
    throw new AppError("invalid_request", message, { errors: [{ path: "month", message }] });
  }
  await deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "organizations", key: { id: organizationId }, strength: "NO KEY UPDATE" });
    const before = await readUsedTokens(tx, { organizationId, month });
    await tx.modelUsage.upsert({
      where: { organizationId_month: { organizationId, month } },
      create: { organizationId, month, tokens },
      update: { tokens },
    });
    const detail = { month: text, before, tokens };
    await recordAudit({ ...deps, tx }, caller, {
      action: "model_usage.corrected",
      targetId: organizationId,
      detail,
    });
  });
  return getModel(deps, caller);
}
