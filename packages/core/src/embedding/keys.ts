import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type AuditAction,
  type Caller,
  type CreateEmbeddingKey,
  type EmbeddingKey,
  type EmbeddingKeyId,
  type EmbeddingKeyList,
  maxEmbeddingKeys,
  newId,
  type RotateEmbeddingKey,
  type UpdateEmbeddingKey,
} from "@querybell/domain";
import { readPublicKey } from "@querybell/public-pages";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { requireServiceAccount } from "../keys/keys.ts";
import { lockRow } from "../lock-row.ts";

/** Lists the embedding keys of the organization, newest first. */
export async function listEmbeddingKeys(deps: Deps, caller: Caller): Promise<EmbeddingKeyList> {
  const { organizationId } = caller;
  const { embedding } = await deps.db.prisma.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: { embedding: true },
  });
  const { publicPagesUrl } = deps.deployment;
  return {
    url: publicPagesUrl === null ? null : `${publicPagesUrl}/e`,
    isAllowed: embedding,
    keys: await readKeys(deps.db.prisma, { organizationId }),
  };
}

/** Adds the public key of a customer's application. Its tokens count while an admin allows embedding. */
export async function createEmbeddingKey(
  deps: Deps,
  caller: Caller,
  { name, publicKey, serviceAccountId, origins, cacheMinutes }: CreateEmbeddingKey,
): Promise<EmbeddingKey> {
  const pem = requirePublicKey(publicKey);
  const { organizationId, userId: createdBy } = caller;
  const id = newId(deps.clock);
  return deps.db.transaction(async (tx) => {
    await requireServiceAccount(tx, caller, serviceAccountId);
    // Locks the organization, so that two keys do not both become the last one that is allowed.
    await lockRow(tx, { table: "organizations", key: { id: organizationId }, strength: "NO KEY UPDATE" });
    if ((await tx.embeddingKey.count({ where: { organizationId } })) >= maxEmbeddingKeys) {
      throw new AppError(
        "conflict",
        `The organization has ${maxEmbeddingKeys} embedding keys already. Revoke one that is not needed any more.`,
      );
    }
    await tx.embeddingKey.create({
      data: {
        ...{ id, organizationId, name, publicKey: pem, serviceAccountId, cacheMinutes, createdBy },
        ...{ origins: [...new Set(origins)], createdAt: deps.clock.now() },
      },
    });
    await recordAudit({ tx, clock: deps.clock }, caller, {
      action: "embedding_key.created",
      targetId: id,
      detail: { name, serviceAccountId, origins },
    });
    return getKey(tx, caller, id);
  });
}

export async function updateEmbeddingKey(
  deps: Deps,
  caller: Caller,
  { id, name, serviceAccountId, origins, cacheMinutes }: UpdateEmbeddingKey,
): Promise<EmbeddingKey> {
  const data = {
    ...(name !== undefined && { name }),
    ...(serviceAccountId !== undefined && { serviceAccountId }),
    ...(origins !== undefined && { origins: [...new Set(origins)] }),
    ...(cacheMinutes !== undefined && { cacheMinutes }),
  };
  return changeKey(deps, caller, {
    id,
    action: "embedding_key.changed",
    change: async (tx) => {
      if (serviceAccountId !== undefined) {
        await requireServiceAccount(tx, caller, serviceAccountId);
        // They were made with the rights of the account before.
        await tx.embedPage.deleteMany({ where: { keyId: id } });
      }
      await tx.embeddingKey.update({ where: { id }, data });
      return { changed: Object.keys(data), ...data };
    },
  });
}

/** Replaces the public key. What the one before has signed, and the frames that it opened, end at once. */
export async function rotateEmbeddingKey(
  deps: Deps,
  caller: Caller,
  { id, publicKey }: RotateEmbeddingKey,
): Promise<EmbeddingKey> {
  const pem = requirePublicKey(publicKey);
  return changeKey(deps, caller, {
    id,
    action: "embedding_key.rotated",
    change: async (tx) => {
      await tx.embeddingKey.update({ where: { id }, data: { publicKey: pem } });
      await tx.embedSession.deleteMany({ where: { keyId: id } });
      return {};
    },
  });
}

/** Ends a key for good, with the frames that it opened. */
export async function revokeEmbeddingKey(deps: Deps, caller: Caller, { id }: EmbeddingKeyId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { name } = await getKey(tx, caller, id);
    const { count } = await tx.embeddingKey.deleteMany({ where: { id } });
    if (count === 0) throw keyNotFound();
    await recordAudit({ tx, clock: deps.clock }, caller, {
      action: "embedding_key.revoked",
      targetId: id,
      detail: { name },
    });
  });
}

interface KeyChange {
  id: string;
  action: AuditAction;
  /** Returns what the audit log says of it. */
  change: (tx: Tx) => Promise<Record<string, string | number | string[]>>;
}

async function changeKey(
  deps: Deps,
  caller: Caller,
  { id, action, change }: KeyChange,
): Promise<EmbeddingKey> {
  const { organizationId } = caller;
  return deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "embedding_keys", key: { id }, organizationId, strength: "NO KEY UPDATE" });
    const { name } = await getKey(tx, caller, id);
    const detail = { name, ...(await change(tx)) };
    await recordAudit({ tx, clock: deps.clock }, caller, { action, targetId: id, detail });
    return getKey(tx, caller, id);
  });
}

const keyNotFound = () =>
  new AppError("not_found", "There is no such embedding key. It may have been revoked already.");

async function getKey(tx: Tx, { organizationId }: Caller, id: string): Promise<EmbeddingKey> {
  const [key] = await readKeys(tx, { organizationId, id });
  if (!key) throw keyNotFound();
  return key;
}

async function readKeys(
  tx: Pick<Tx, "embeddingKey">,
  where: { organizationId: string; id?: string },
): Promise<EmbeddingKey[]> {
  const { organizationId } = where;
  const rows = await tx.embeddingKey.findMany({
    where,
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    include: {
      organization: { select: { embedding: true } },
      serviceAccount: { select: { disabledAt: true, memberships: { where: { organizationId } } } },
    },
  });
  return rows.map(({ organization, serviceAccount, ...row }) =>
    toEmbeddingKey(
      row,
      organization.embedding && serviceAccount.disabledAt === null && serviceAccount.memberships.length > 0,
    ),
  );
}

const toEmbeddingKey = (row: Prisma.EmbeddingKeyModel, isActive: boolean): EmbeddingKey => ({
  id: row.id,
  name: row.name,
  publicKey: row.publicKey,
  serviceAccountId: row.serviceAccountId,
  isActive,
  origins: row.origins,
  cacheMinutes: row.cacheMinutes,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
});

function requirePublicKey(text: string): string {
  const pem = readPublicKey(text);
  if (pem !== undefined) return pem;
  const errors = [{ path: "publicKey", message: "must be an Ed25519 public key as PEM" }];
  throw new AppError(
    "invalid_request",
    "This is no Ed25519 public key. Make one with openssl genpkey -algorithm ed25519, and paste what openssl pkey -pubout prints.",
    { errors },
  );
}
