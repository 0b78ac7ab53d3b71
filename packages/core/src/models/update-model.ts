import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type ModelConnection,
  type ModelSettings,
  type UpdateModel,
} from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { openApiKey, sealApiKey } from "./api-key.ts";
import { checkModelUrl } from "./check-model-url.ts";
import { getModel } from "./get-model.ts";

/** Sets the organization's model, or takes the operator's, with an admin's consent to its server. */
export async function updateModel(
  deps: Deps,
  caller: Caller,
  { connection, monthlyTokens }: UpdateModel,
): Promise<ModelSettings> {
  const { organizationId, userId } = caller;
  if (connection) await checkModelUrl(deps, connection.url);
  const url = connection?.url ?? deps.models.operator?.url;
  if (url === undefined) {
    throw new AppError(
      "conflict",
      "The operator of this deployment has set up no model. Enter one of your own.",
    );
  }
  await deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "organizations", key: { id: organizationId }, strength: "NO KEY UPDATE" });
    const apiKey = connection ? await chooseApiKey({ ...deps, tx }, caller, connection) : null;
    const data = {
      url: connection?.url ?? null,
      name: connection?.name ?? null,
      sealedApiKey: apiKey === null ? null : sealApiKey(deps, { organizationId, url }, apiKey),
      monthlyTokens,
      consentedUrl: url,
      consentedBy: userId,
      consentedAt: deps.clock.now(),
    };
    await tx.modelSettings.upsert({
      where: { organizationId },
      create: { organizationId, ...data },
      update: data,
    });
    const name = connection?.name ?? deps.models.operator?.name ?? "";
    const detail = { url, name, monthlyTokens, consent: true };
    await recordAudit({ ...deps, tx }, caller, { action: "model.changed", targetId: organizationId, detail });
  });
  return getModel(deps, caller);
}

/** The key that is given, or the saved one if it belongs to the same server. */
export async function chooseApiKey(
  { tx, ...deps }: Pick<Deps, "sealer"> & { tx: Pick<Tx, "modelSettings"> },
  { organizationId }: Pick<Caller, "organizationId">,
  { url, apiKey }: ModelConnection,
): Promise<string | null> {
  if (apiKey !== undefined) return apiKey === "" ? null : apiKey;
  const row = await tx.modelSettings.findUnique({ where: { organizationId } });
  if (row?.url !== url || row.sealedApiKey === null) return null;
  return openApiKey(deps, { organizationId, url }, row.sealedApiKey);
}
