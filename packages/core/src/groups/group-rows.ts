import type { Tx } from "@querybell/db";
import { AppError, type Caller, type GroupSource, maxGroups, newId } from "@querybell/domain";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";

type Scope = Pick<Caller, "organizationId">;
export type TxDeps = { tx: Tx } & Pick<Deps, "clock">;

/** Changes of one organization's groups take turns, so that names stay unique and no two changes deadlock. */
export async function lockGroups(tx: Tx, { organizationId }: Scope): Promise<void> {
  await tx.$queryRaw`
    SELECT pg_advisory_xact_lock(hashtextextended('groups:' || ${organizationId}::text, 0))::text`;
}

/** Whether another group of the organization has the name, whatever its case. */
export async function isNameTaken(
  tx: Tx,
  { organizationId }: Scope,
  { name, id }: { name: string; id?: string },
): Promise<boolean> {
  const found = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM groups WHERE organization_id = ${organizationId}::uuid AND lower(name) = lower(${name})
      AND id IS DISTINCT FROM ${id ?? null}::uuid`;
  return found.length > 0;
}

interface NewGroup {
  name: string;
  source: GroupSource;
  externalId: string | null;
}

/** Inserts a group. The caller holds the lock and has checked the name. */
export async function insertGroup(
  { tx, clock }: TxDeps,
  actor: Actor,
  { name, source, externalId }: NewGroup,
) {
  const { organizationId } = actor;
  if ((await tx.group.count({ where: { organizationId } })) >= maxGroups) {
    throw new AppError(
      "conflict",
      "An organization can have 1,000 groups, and this one has them. Delete some first.",
    );
  }
  const now = clock.now();
  const row = await tx.group.create({
    data: { id: newId(clock), organizationId, name, source, externalId, createdAt: now, updatedAt: now },
  });
  await recordAudit({ tx, clock }, actor, {
    action: "group.created",
    targetId: row.id,
    detail: { name, source },
  });
  return row;
}

interface MemberChange {
  groupId: string;
  add: readonly string[];
  remove: readonly string[];
}

/** Adds and removes members, and records those for whom something changed. The caller holds the lock. */
export async function writeGroupMembers(
  { tx, clock }: TxDeps,
  actor: Actor,
  { groupId, add, remove }: MemberChange,
): Promise<void> {
  const { organizationId } = actor;
  const removed = await tx.$queryRaw<{ userId: string }[]>`
    DELETE FROM group_members WHERE group_id = ${groupId}::uuid AND organization_id = ${organizationId}::uuid
      AND user_id = ANY(${[...remove]}::uuid[]) RETURNING user_id AS "userId"`;
  const added = await tx.$queryRaw<{ userId: string }[]>`
    INSERT INTO group_members (group_id, organization_id, user_id)
    SELECT ${groupId}::uuid, m.organization_id, m.user_id FROM members m
    WHERE m.organization_id = ${organizationId}::uuid AND m.user_id = ANY(${[...add]}::uuid[])
    ON CONFLICT DO NOTHING RETURNING user_id AS "userId"`;
  if (removed.length + added.length === 0) return;
  await tx.group.update({ where: { id: groupId }, data: { updatedAt: clock.now() } });
  await recordAudit({ tx, clock }, actor, {
    action: "group.members_changed",
    targetId: groupId,
    detail: { added: added.map(({ userId }) => userId), removed: removed.map(({ userId }) => userId) },
  });
}
