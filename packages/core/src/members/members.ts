import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type ChangeRole,
  type Member,
  type RemoveMember,
  type Role,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";

/** Lists the members, oldest membership first. */
export async function listMembers({ db }: Deps, { organizationId }: Caller): Promise<Member[]> {
  const members = await db.prisma.member.findMany({
    where: { organizationId },
    include: {
      user: {
        include: {
          totpFactor: { select: { confirmedAt: true } },
          passkeys: { select: { id: true }, take: 1 },
        },
      },
    },
    orderBy: [{ createdAt: "asc" }, { userId: "asc" }],
  });
  return members.map(({ user, role, createdAt }) => ({
    userId: user.id,
    name: user.name,
    email: user.email,
    role,
    isService: user.serviceOrganizationId !== null,
    hasSecondFactor: user.passkeys.length > 0 || Boolean(user.totpFactor?.confirmedAt),
    createdAt: createdAt.toISOString(),
  }));
}

export async function addMember(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  role: Role,
): Promise<void> {
  await tx.member.create({ data: { organizationId, userId, role, createdAt: clock.now() } });
  // An admin of another organization may hold a password reset link of this person. It must not give access here.
  await tx.verification.deleteMany({ where: { value: userId } });
  // Nor must a reset of their second factor that an admin of another organization has asked for.
  await tx.factorReset.deleteMany({ where: { userId } });
  await recordAudit(
    { tx, clock },
    { organizationId, userId },
    {
      action: "member.joined",
      targetId: userId,
      detail: { role },
    },
  );
}

/** Takes effect at once for sessions, and within five seconds in every process for the member's keys. */
export async function changeRole(
  { db, clock, keyCache, rights }: Deps,
  caller: Caller,
  { userId, role }: ChangeRole,
): Promise<void> {
  const { organizationId } = caller;
  await db.transaction(async (tx) => {
    const from = await lockMember(tx, caller, userId);
    requireOwner(caller, from, role);
    if (from === role) return;
    if (role === "owner") await refuseService(tx, userId);
    await tx.member.update({ where: { organizationId_userId: { organizationId, userId } }, data: { role } });
    await recordAudit({ tx, clock }, caller, {
      action: "member.role_changed",
      targetId: userId,
      detail: { from, to: role },
    });
  });
  keyCache.forgetKeysOf({ userId });
  rights.forget(caller);
}

/** Nobody signs in as a service account, so the organization would have an owner who cannot act. */
async function refuseService(tx: Tx, userId: string): Promise<void> {
  const { serviceOrganizationId } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
  if (serviceOrganizationId === null) return;
  throw new AppError("forbidden", "A service account cannot be an owner. Choose another role.");
}

/** Removes a member from the organization. Their keys of this organization are deleted with the membership. */
export async function removeMember(deps: Deps, caller: Caller, { userId }: RemoveMember): Promise<void> {
  const { organizationId } = caller;
  await deps.db.transaction(async (tx) => {
    const role = await lockMember(tx, caller, userId);
    if (userId !== caller.userId) requireOwner(caller, role);
    await tx.member.delete({ where: { organizationId_userId: { organizationId, userId } } });
    await recordAudit({ ...deps, tx }, caller, {
      action: "member.removed",
      targetId: userId,
      detail: { role },
    });
  });
  deps.keyCache.forgetKeysOf({ userId });
  deps.rights.forget(caller);
}

export async function leaveOrganization(deps: Deps, caller: Caller): Promise<void> {
  await removeMember(deps, caller, { userId: caller.userId });
}

/** Gets the member's role and locks the membership until the transaction ends. */
export async function lockMember(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  userId: string,
): Promise<Role> {
  const [member] = await tx.$queryRaw<{ role: Role }[]>`
    SELECT role FROM members
    WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid FOR UPDATE`;
  if (!member) throw new AppError("not_found", "There is no such member in this organization.");
  return member.role;
}

/** Throws unless the caller is an owner of the organization. */
export function requireOwnership({ role }: Pick<Caller, "role">): void {
  if (role !== "owner") throw new AppError("forbidden", "Only owners of the organization can do this.");
}

/** Throws unless the caller is an owner, if one of the roles is `owner`. Admins manage only admins and members. */
export function requireOwner(caller: Caller, ...roles: Role[]): void {
  if (roles.includes("owner") && caller.role !== "owner") {
    throw new AppError("forbidden", "Only an owner can do this to an owner, or make somebody one.");
  }
}
