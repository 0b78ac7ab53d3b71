import type { Prisma, Tx } from "@querybell/db";
import { AppError } from "@querybell/domain";
import type { ModelServer } from "@querybell/models";
import { UnsealError } from "@querybell/sealing";
import type { Deps } from "../deps.ts";

type FoundModel =
  | { kind: "found"; server: ModelServer; monthlyTokens: number }
  /** `reason` also says what to do. */
  | { kind: "missing"; reason: string };

type Scope = { organizationId: string };
type ModelSettingsRow = Prisma.ModelSettingsModel;

const missing = (reason: string): FoundModel => ({ kind: "missing", reason });

/** The model that an organization's automations use, if an admin has consented to its server. */
export async function findModel(deps: Deps, { organizationId }: Scope): Promise<FoundModel> {
  const row = await deps.db.prisma.modelSettings.findUnique({ where: { organizationId } });
  return toFoundModel(deps, row);
}

export function toFoundModel(
  deps: Pick<Deps, "models" | "sealer">,
  row: ModelSettingsRow | null,
): FoundModel {
  const { operator } = deps.models;
  if (!row) {
    return missing(
      operator
        ? "No admin has consented yet that data is sent to the model. An admin does that under Settings, Model."
        : "No model is set up. An admin does that under Settings, Model.",
    );
  }
  const { organizationId, url, name, sealedApiKey, monthlyTokens } = row;
  const apiKey =
    url !== null && sealedApiKey !== null ? openApiKey(deps, { organizationId, url }, sealedApiKey) : null;
  const server = url !== null && name !== null ? { url, name, apiKey } : operator;
  if (!server)
    return missing("The operator has removed the model. An admin sets up another under Settings, Model.");
  if (server.url !== row.consentedUrl) {
    return missing(
      `The model's server has changed to ${server.url}. An admin has to consent to it under Settings, Model.`,
    );
  }
  return { kind: "found", server, monthlyTokens };
}

/** The first day of the calendar month in UTC, which is what usage is counted by. */
export const monthOf = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));

export async function readUsedTokens(
  tx: Pick<Tx, "modelUsage">,
  { organizationId, month }: Scope & { month: Date },
): Promise<number> {
  const row = await tx.modelUsage.findUnique({ where: { organizationId_month: { organizationId, month } } });
  return Number(row?.tokens ?? 0n);
}

interface Owner {
  organizationId: string;
  url: string;
}

// The organization and the server are authenticated, so a key is never sent to another server.
const purpose = ({ organizationId, url }: Owner) => `model api key ${organizationId} ${url}`;

export const sealApiKey = ({ sealer }: Pick<Deps, "sealer">, owner: Owner, apiKey: string): string =>
  sealer.seal(purpose(owner), Buffer.from(apiKey));

export function openApiKey({ sealer }: Pick<Deps, "sealer">, owner: Owner, sealed: string): string {
  try {
    return Buffer.from(sealer.open(purpose(owner), sealed)).toString();
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new AppError("conflict", "The stored key of the model can no longer be opened. Enter it again.", {
      cause: error,
    });
  }
}
