import type { Tx } from "@querybell/db";
import { AppError, type DeleteAccount, deletedUserName, type Person } from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";

/** Erases the caller. Their address and their password, if they have one, are asked again. */
export async function deleteAccount(
  deps: Deps,
  { userId }: Pick<Person, "userId">,
  { email, password }: DeleteAccount,
): Promise<void> {
  const { db, auth } = deps;
  const user = await db.prisma.user.findUniqueOrThrow({ where: { id: userId }, include: { accounts: true } });
  if (user.email !== email.trim().toLowerCase()) throw wrong("email", "is not the address of your account");
  const hash = user.accounts.find(({ providerId }) => providerId === "credential")?.password;
  if (hash) {
    const { password: hasher } = await auth.$context;
    const isRight = password !== undefined && (await hasher.verify({ hash, password }));
    if (!isRight) throw wrong("password", "is wrong");
  }
  await erase(deps, userId, userId);
}

const wrong = (path: string, message: string) =>
  new AppError("invalid_request", `The ${path} ${message}.`, { errors: [{ path, message }] });

/** For somebody who asks the operator. */
export async function erasePersonAsOperator(
  deps: Pick<Deps, "db" | "clock" | "keyCache">,
  { email }: { email: string },
): Promise<void> {
  const user = await deps.db.prisma.user.findUnique({ where: { email: email.toLowerCase() } });
  if (!user) throw new AppError("not_found", `Nobody has an account with the address ${email}.`);
  await erase(deps, user.id, null);
}

/**
 * Erases a person in one transaction. What they made stays in their organizations: its `createdBy` names a row of users
 * that tells nothing about them any more.
 */
async function erase(
  { db, clock, keyCache }: Pick<Deps, "db" | "clock" | "keyCache">,
  userId: string,
  actorUserId: string | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockRow(tx, { table: "users", key: { id: userId }, strength: "NO KEY UPDATE" });
    const { email } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
    await leaveAll({ tx, clock }, userId, actorUserId);
    await deleteOwn({ tx, clock }, { userId, email });
    await tx.user.update({
      where: { id: userId },
      data: {
        name: deletedUserName,
        // The domain .invalid is reserved: no mail can reach it, and nobody can register it.
        email: `${userId}@deleted.invalid`,
        emailVerified: false,
        image: null,
        erasedAt: clock.now(),
        updatedAt: clock.now(),
      },
    });
  });
  keyCache.forgetKeysOf({ userId });
}

type Erasing = { tx: Tx } & Pick<Deps, "clock">;

/** Ends the memberships, and with them the person's API keys, favourites and subscriptions. */
async function leaveAll(deps: Erasing, userId: string, actorUserId: string | null): Promise<void> {
  const { tx } = deps;
  const memberships = await tx.member.findMany({
    where: { userId },
    include: { organization: { select: { name: true } } },
    orderBy: { organizationId: "asc" },
  });
  for (const { organizationId, role, organization } of memberships) {
    await refuseLastOwner(tx, { organizationId, userId, role, name: organization.name });
    await tx.member.delete({ where: { organizationId_userId: { organizationId, userId } } });
    const actor = { organizationId, userId: actorUserId };
    await recordAudit(deps, actor, { action: "member.removed", targetId: userId, detail: { role } });
  }
}

interface Leaving {
  organizationId: string;
  userId: string;
  role: string;
  name: string;
}

/** A trigger refuses it too, without the name of the organization. */
async function refuseLastOwner(tx: Tx, { organizationId, userId, role, name }: Leaving): Promise<void> {
  if (role !== "owner") return;
  const others = await tx.member.count({ where: { organizationId, role: "owner", userId: { not: userId } } });
  if (others > 0) return;
  throw new AppError(
    "last_owner",
    `${name} would have no owner any more. Make somebody else an owner, or delete the organization, and try again when it is deleted.`,
  );
}

/** What belongs to the person alone, and what other tables know of their address. */
async function deleteOwn(
  { tx, clock }: Erasing,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  const now = clock.now();
  await tx.session.deleteMany({ where: { userId } });
  await tx.account.deleteMany({ where: { userId } });
  await tx.passkey.deleteMany({ where: { userId } });
  await tx.totpFactor.deleteMany({ where: { userId } });
  await tx.recoveryCode.deleteMany({ where: { userId } });
  await tx.signInRequest.deleteMany({ where: { userId } });
  await tx.failedSignIns.deleteMany({ where: { userId } });
  await tx.verification.deleteMany({ where: { value: userId } });
  await tx.notification.deleteMany({ where: { userId } });
  await tx.notificationPreference.deleteMany({ where: { userId } });
  await tx.sqlHelpRequest.deleteMany({ where: { userId } });
  // A job removes them once their trials have ended.
  await tx.queryDraft.updateMany({
    where: { userId, deletedAt: null },
    data: { deletedAt: now, expiresAt: now },
  });
  await tx.invitation.deleteMany({ where: { email } });
  await tx.auditPerson.deleteMany({ where: { email } });
  await tx.scimUser.deleteMany({ where: { OR: [{ userId }, { email }] } });
  // Nobody else sees runs with this address in their values.
  await tx.$executeRaw`
    DELETE FROM query_runs
    WHERE system_values ? 'user_email' AND system_values ->> 'user_email' = ${JSON.stringify(email)}`;
}
