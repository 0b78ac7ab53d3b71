import type { Tx } from "@querybell/db";
import { AppError, type Caller, type CreateApiKey, type CreatedApiKey, newId } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { toApiKey } from "./api-key-row.ts";
import { newKeyText } from "./key-text.ts";

export async function createKey(deps: Deps, caller: Caller, input: CreateApiKey): Promise<CreatedApiKey> {
  return deps.db.transaction((tx) => insertKey({ ...deps, tx }, caller, input));
}

export async function insertKey(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  { name, scopes, expiresAt }: CreateApiKey,
): Promise<CreatedApiKey> {
  const now = clock.now();
  if (expiresAt && new Date(expiresAt) <= now) {
    throw new AppError("invalid_request", "The key would be expired already. Choose a time in the future.", {
      errors: [{ path: "expiresAt", message: "must be in the future" }],
    });
  }
  const { text, prefix, secretHash } = newKeyText();
  const row = await tx.apiKey.create({
    data: {
      id: newId(clock),
      organizationId,
      userId,
      name,
      prefix,
      secretHash,
      scopes,
      createdAt: now,
      expiresAt: expiresAt ?? null,
    },
  });
  await recordAudit(
    { tx, clock },
    { organizationId, userId },
    {
      action: "api_key.created",
      targetId: row.id,
      detail: { name, scopes, expiresAt: expiresAt ?? null },
    },
  );
  return { ...toApiKey(row), key: text };
}
