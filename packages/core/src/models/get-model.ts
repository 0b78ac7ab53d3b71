import type { Caller, ModelSettings } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { monthOf, readUsedTokens, toFoundModel } from "./find-model.ts";

/** What is allowed unless an admin says otherwise. */
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
