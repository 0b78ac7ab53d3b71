import type { Prisma, Tx } from "@querybell/db";
import {
  type ApiKey,
  AppError,
  type Caller,
  type CreateApiKey,
  type CreatedApiKey,
  newId,
  type PresentedKey,
  type RevokeApiKey,
  Scope,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { newKeyText } from "./verify-key.ts";

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

/** Lists the organization's keys that are not revoked, newest first, including expired ones. */
export async function listKeys({ db }: Deps, { organizationId }: Caller): Promise<ApiKey[]> {
  const rows = await db.prisma.apiKey.findMany({
    where: { organizationId, revokedAt: null },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return rows.map(toApiKey);
}

/** Revokes a key. This process rejects it at once, every other process within five seconds. */
export async function revokeKey(
  { db, clock, keyCache }: Deps,
  caller: Caller,
  { id }: RevokeApiKey,
): Promise<void> {
  const owner = await db.transaction(async (tx) => {
    const [revoked] = await tx.apiKey.updateManyAndReturn({
      where: { id, organizationId: caller.organizationId, revokedAt: null },
      data: { revokedAt: clock.now() },
    });
    if (!revoked) throw new AppError("not_found", "There is no such key. It may have been revoked already.");
    await recordAudit({ tx, clock }, caller, {
      action: "api_key.revoked",
      targetId: id,
      detail: { name: revoked.name },
    });
    return revoked;
  });
  keyCache.forgetKeysOf(owner);
}

interface KeyRow {
  id: string;
  name: string;
  scopes: string[];
  expiresAt: Date | null;
  organizationName: string;
  userId: string;
  userName: string;
  email: string;
}

/** The organization, owner and scopes of the key of the request. */
export async function describeKey(
  { db }: Deps,
  { organizationId }: Caller,
  keyId: string,
): Promise<PresentedKey> {
  const { rows } = await db.pool.query<KeyRow>({
    name: "describe_key",
    text: `
      SELECT k.id, k.name, k.scopes, k.expires_at AS "expiresAt", o.name AS "organizationName", u.id AS "userId",
        u.name AS "userName", u.email
      FROM api_keys k JOIN organizations o ON o.id = k.organization_id JOIN users u ON u.id = k.user_id
      WHERE k.id = $1 AND k.organization_id = $2`,
    values: [keyId, organizationId],
  });
  const [row] = rows;
  if (!row) throw new AppError("unauthorized", "This API key has been revoked.");
  return {
    id: row.id,
    name: row.name,
    organization: { id: organizationId, name: row.organizationName },
    user: { id: row.userId, name: row.userName, email: row.email },
    scopes: Scope.array().parse(row.scopes),
    expiresAt: row.expiresAt?.toISOString() ?? null,
  };
}

/** The first characters of a key, by which its owner recognizes it. */
export const keyStart = ({ prefix }: Pick<Prisma.ApiKeyModel, "prefix">): string => `qb_${prefix}`;

/** A key without its secret. */
const toApiKey = (row: Prisma.ApiKeyModel): ApiKey => ({
  id: row.id,
  name: row.name,
  start: keyStart(row),
  userId: row.userId,
  scopes: Scope.array().parse(row.scopes),
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
});
