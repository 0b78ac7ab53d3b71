import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CorrectModelUsage,
  type ModelConnection,
  type ModelSettings,
  type UpdateModel,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { monthOf, openApiKey, readUsedTokens, sealApiKey, toFoundModel } from "./find-model.ts";

/** The monthly budget unless an admin sets another one. */
const defaultMonthlyTokens = 5_000_000;

/** Which model automations use, what is missing, and what was used this month. Never the key. */
export async function getModel(deps: Deps, { organizationId }: Caller): Promise<ModelSettings> {
  const row = await deps.db.prisma.modelSettings.findUnique({ where: { organizationId } });
  const found = toFoundModel(deps, row);
  const { operator } = deps.models;
  const month = monthOf(deps.clock.now());
  const own = row?.url != null ? { url: row.url, name: row.name } : null;
  const shown = own ?? (row ? operator : null);
  return {
    isReady: found.kind === "found",
    missing: found.kind === "missing" ? found.reason : null,
    source: own ? "organization" : row ? "operator" : null,
    url: shown?.url ?? null,
    name: shown?.name ?? null,
    hasApiKey: row?.sealedApiKey != null,
    operatorModel: operator ? { url: operator.url, name: operator.name } : null,
    monthlyTokens: row?.monthlyTokens ?? defaultMonthlyTokens,
    usedTokens: await readUsedTokens(deps.db.prisma, { organizationId, month }),
    consentedAt: row?.consentedAt.toISOString() ?? null,
  };
}

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

/** Removes the organization's model, its key and the consent. Runs of the agent `model` then fail. */
export async function removeModel(deps: Deps, caller: Caller): Promise<void> {
  const { organizationId } = caller;
  await deps.db.transaction(async (tx) => {
    const { count } = await tx.modelSettings.deleteMany({ where: { organizationId } });
    if (count === 0) return;
    await recordAudit({ ...deps, tx }, caller, { action: "model.removed", targetId: organizationId });
  });
}

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

/** Throws if the guard would not let us connect. */
export async function checkModelUrl({ models }: Pick<Deps, "models">, url: string): Promise<void> {
  const checked = await models.guard.check(url);
  if (checked.kind === "checked") return;
  const errors = [{ path: "connection.url", message: checked.message }];
  throw new AppError("invalid_request", checked.message, { errors });
}
