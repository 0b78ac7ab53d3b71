import { type Prisma, publishAfterCommit, type Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  newId,
  type OrganizationDeletion,
  organizationDeletionDays,
  type RequestDeletion,
} from "@querybell/domain";
import { type Actor, getOperatorActor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { queueMail } from "../mail.ts";
import { requireOwnership } from "../members/members.ts";

/** The request to delete the caller's organization; null if there is none. */
export async function findDeletion(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
): Promise<OrganizationDeletion | null> {
  const row = await db.prisma.organizationDeletion.findUnique({ where: { organizationId } });
  return row && toDeletion(row);
}

const dayMs = 24 * 60 * 60 * 1000;

type ChangeDeps = Pick<Deps, "db" | "clock" | "sealer" | "deployment">;

/** Asks for the deletion of the organization, which begins after a waiting time. Tells all owners. */
export async function requestDeletion(
  deps: ChangeDeps,
  caller: Caller,
  { name }: RequestDeletion,
): Promise<OrganizationDeletion> {
  requireOwnership(caller);
  return deps.db.transaction(async (tx) => {
    const organization = await lockOrganization(tx, caller.organizationId);
    if (organization.name !== name.trim()) {
      const message = `is not the name of the organization, which is ${organization.name}`;
      throw new AppError("invalid_request", `“${name}” ${message}.`, { errors: [{ path: "name", message }] });
    }
    return insertDeletion({ ...deps, tx }, caller, organization);
  });
}

/** The same for the operator, by whom no name is asked again: a slug is not typed by accident. */
export const requestDeletionAsOperator = (
  deps: ChangeDeps,
  { slug }: { slug: string },
): Promise<OrganizationDeletion> =>
  deps.db.transaction(async (tx) => {
    const operator = await getOperatorActor(tx, slug);
    return insertDeletion({ ...deps, tx }, operator, await lockOrganization(tx, operator.organizationId));
  });

type TxDeps = { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">;

async function insertDeletion(
  deps: TxDeps,
  actor: Actor,
  organization: Prisma.OrganizationModel,
): Promise<OrganizationDeletion> {
  const { tx, clock } = deps;
  const { organizationId, userId } = actor;
  const requestedAt = clock.now();
  const dueAt = new Date(requestedAt.getTime() + organizationDeletionDays * dayMs);
  if (await tx.organizationDeletion.findUnique({ where: { organizationId } })) {
    throw new AppError(
      "conflict",
      "The deletion was requested already. An owner or the operator can cancel it.",
    );
  }
  const row = await tx.organizationDeletion.create({
    data: { organizationId, requestedBy: userId, requestedAt, dueAt },
  });
  const detail = { dueAt: dueAt.toISOString() };
  const target = { targetId: organizationId, detail };
  await recordAudit(deps, actor, { action: "organization.deletion_requested", ...target });
  await tellOwners(deps, organization, { kind: "organization_deletion_requested", actor, dueAt });
  return toDeletion(row);
}

/** Cancels the deletion, unless it has begun. Tells all owners. */
export async function cancelDeletion(deps: ChangeDeps, caller: Caller): Promise<void> {
  requireOwnership(caller);
  await deps.db.transaction((tx) => deleteDeletion({ ...deps, tx }, caller));
}

/** The same for the operator, also if an owner has asked for the deletion. */
export const cancelDeletionAsOperator = (deps: ChangeDeps, { slug }: { slug: string }): Promise<void> =>
  deps.db.transaction(async (tx) => deleteDeletion({ ...deps, tx }, await getOperatorActor(tx, slug)));

async function deleteDeletion(deps: TxDeps, actor: Actor): Promise<void> {
  const { tx } = deps;
  const { organizationId } = actor;
  const organization = await lockOrganization(tx, organizationId);
  const { count } = await tx.organizationDeletion.deleteMany({ where: { organizationId, startedAt: null } });
  if (count === 0) {
    throw new AppError(
      "not_found",
      "Nobody has asked to delete this organization, or the deletion has begun.",
    );
  }
  await recordAudit(deps, actor, { action: "organization.deletion_cancelled", targetId: organizationId });
  await tellOwners(deps, organization, { kind: "organization_deletion_cancelled", actor });
}

/** The job locks it too before it begins, so a deletion is either cancelled or begun. */
async function lockOrganization(tx: Tx, id: string): Promise<Prisma.OrganizationModel> {
  await lockRow(tx, { table: "organizations", key: { id }, strength: "NO KEY UPDATE" });
  return tx.organization.findUniqueOrThrow({ where: { id } });
}

type Told = { actor: Actor } & (
  | { kind: "organization_deletion_requested"; dueAt: Date }
  | { kind: "organization_deletion_cancelled" }
);

async function tellOwners(
  deps: TxDeps,
  { id: organizationId, name }: Prisma.OrganizationModel,
  told: Told,
): Promise<void> {
  const { tx, clock, deployment } = deps;
  const owners = await tx.member.findMany({
    where: { organizationId, role: "owner" },
    include: { user: { select: { email: true } } },
  });
  const isRequested = told.kind === "organization_deletion_requested";
  const detail = { organizationName: name, ...(isRequested && { dueAt: told.dueAt.toISOString() }) };
  const createdAt = clock.now();
  await tx.notification.createMany({
    data: owners.map(({ userId }) => ({
      ...{ id: newId(clock), userId, organizationId, kind: told.kind, detail, createdAt },
    })),
  });
  const userIds = owners.map(({ userId }) => userId);
  publishAfterCommit(tx, "querybell_notifications", userIds);
  const url = `${deployment.publicUrl}/settings/export`;
  const who = told.actor.userId === null ? "The operator of this installation" : "An owner";
  const mail = isRequested
    ? {
        subject: `${name} will be deleted`,
        text: `${who} has asked to delete the organization ${name} with everything in it. This begins on ${told.dueAt.toISOString()} and cannot be undone then. Until then, every owner can cancel it:\n${url}\n`,
      }
    : {
        subject: `${name} will not be deleted`,
        text: `${who} has cancelled the deletion of the organization ${name}.\n`,
      };
  for (const { user } of owners) await queueMail(deps, organizationId, { to: user.email, ...mail });
}

const toDeletion = (row: Prisma.OrganizationDeletionModel): OrganizationDeletion => ({
  requestedBy: row.requestedBy,
  requestedAt: row.requestedAt.toISOString(),
  dueAt: row.dueAt.toISOString(),
});
