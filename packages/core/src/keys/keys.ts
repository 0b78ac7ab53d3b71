import { nilId, type Prisma, type Tx } from "@querybell/db";
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

const Scopes = Scope.array();

export async function createKey(deps: Deps, caller: Caller, input: CreateApiKey): Promise<CreatedApiKey> {
  return deps.db.transaction(async (tx) => {
    const { serviceAccountId, databaseIds, folderIds } = input;
    await requirePlaces(tx, caller, { databaseIds: databaseIds ?? [], folderIds: folderIds ?? [] });
    if (serviceAccountId !== undefined) await requireServiceAccount(tx, caller, serviceAccountId);
    return insertKey({ ...deps, tx }, caller, input);
  });
}

interface Places {
  databaseIds: readonly string[];
  folderIds: readonly (string | null)[];
}

/** Throws if a database or folder is not of the organization. */
async function requirePlaces(
  tx: Tx,
  { organizationId }: Caller,
  { databaseIds, folderIds }: Places,
): Promise<void> {
  const databases = [...new Set(databaseIds)];
  const folders = [...new Set(folderIds.flatMap((id) => id ?? []))];
  const [foundDatabases, foundFolders] = [
    await tx.analyticalDatabaseConfig.count({
      where: { organizationId, deletedAt: null, id: { in: databases } },
    }),
    await tx.folder.count({ where: { organizationId, id: { in: folders } } }),
  ];
  if (foundDatabases === databases.length && foundFolders === folders.length) return;
  throw new AppError("not_found", "There is no such database or folder in this organization.");
}

export async function requireServiceAccount(
  tx: Tx,
  { organizationId }: Caller,
  userId: string,
): Promise<void> {
  const found = await tx.member.count({
    where: { organizationId, userId, user: { serviceOrganizationId: organizationId } },
  });
  if (found === 0) throw new AppError("not_found", "There is no such service account in this organization.");
}

export async function insertKey(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  { name, scopes, expiresAt, serviceAccountId = userId, databaseIds = null, folderIds = null }: CreateApiKey,
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
      userId: serviceAccountId,
      name,
      prefix,
      secretHash,
      scopes,
      narrowsDatabases: databaseIds !== null,
      databaseIds: databaseIds ?? [],
      narrowsFolders: folderIds !== null,
      folderIds: (folderIds ?? []).map((id) => id ?? nilId),
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
      detail: {
        name,
        scopes,
        expiresAt: expiresAt ?? null,
        ...(serviceAccountId !== userId && { serviceAccountId }),
        ...(databaseIds && { databaseIds }),
        ...(folderIds && { folderIds: folderIds.map((id) => id ?? "none") }),
      },
    },
  );
  return { ...toApiKey(row), key: text };
}

/** Lists the organization's keys that are not revoked, newest first, including expired ones. */
export async function listKeys({ db }: Deps, { organizationId }: Caller): Promise<ApiKey[]> {
  const rows = await db.prisma.apiKey.findMany({
    where: { organizationId, clientId: null, revokedAt: null },
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
      where: { id, organizationId: caller.organizationId, clientId: null, revokedAt: null },
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

interface KeyRow extends NarrowedPlaces {
  id: string;
  name: string;
  scopes: string[];
  expiresAt: Date | null;
  organizationName: string;
  userId: string;
  userName: string;
  email: string;
}

/** The organization, owner, scopes, databases and folders of the key of the request. */
export async function describeKey(
  { db }: Deps,
  { organizationId }: Caller,
  keyId: string,
): Promise<PresentedKey> {
  const { rows } = await db.pool.query<KeyRow>({
    name: "describe_key",
    text: `
      SELECT k.id, k.name, k.scopes, k.expires_at AS "expiresAt", o.name AS "organizationName", u.id AS "userId",
        u.name AS "userName", u.email, k.narrows_databases AS "narrowsDatabases", k.database_ids::text[] AS "databaseIds",
        k.narrows_folders AS "narrowsFolders", k.folder_ids::text[] AS "folderIds"
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
    scopes: Scopes.parse(row.scopes),
    ...toPlaces(row),
    expiresAt: row.expiresAt?.toISOString() ?? null,
  };
}

/** The first characters of a key, by which its owner recognizes it. */
export const keyStart = ({ prefix }: Pick<Prisma.ApiKeyModel, "prefix">): string => `qb_${prefix}`;

type NarrowedPlaces = Pick<
  Prisma.ApiKeyModel,
  "narrowsDatabases" | "databaseIds" | "narrowsFolders" | "folderIds"
>;

/** The databases and folders that a key can be used for; null for all. */
const toPlaces = (row: NarrowedPlaces): Pick<ApiKey, "databaseIds" | "folderIds"> => ({
  databaseIds: row.narrowsDatabases ? row.databaseIds : null,
  folderIds: row.narrowsFolders ? row.folderIds.map((id) => (id === nilId ? null : id)) : null,
});

/** A key without its secret. */
const toApiKey = (row: Prisma.ApiKeyModel): ApiKey => ({
  id: row.id,
  name: row.name,
  start: keyStart(row),
  userId: row.userId,
  scopes: Scopes.parse(row.scopes),
  ...toPlaces(row),
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
});
