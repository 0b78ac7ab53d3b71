import type { Prisma, Tx } from "@querybell/db";
import { AppError, type SharedLink } from "@querybell/domain";
import { recordAuditEverywhere } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { auditPerson, removeFactors } from "../identity/factors.ts";
import { lockRow } from "../lock-row.ts";
import { insertPasswordResetLink } from "../members/create-password-reset-link.ts";

interface Addressed {
  email: string;
}

async function getPerson(tx: Tx, { email }: Addressed): Promise<Prisma.UserModel> {
  const user = await tx.user.findUnique({ where: { email: email.toLowerCase() } });
  if (!user) throw new AppError("not_found", `Nobody has an account with the address ${email}.`);
  return user;
}

/**
 * For people whom no admin can help: members of several organizations, the last owner, and owners of an address that
 * somebody else has registered. The operator is trusted to give the link to the right person, so it proves the address.
 */
export async function createPasswordResetLinkAsOperator(
  deps: Pick<Deps, "db" | "clock" | "sealer" | "deployment">,
  person: Addressed,
): Promise<SharedLink> {
  return deps.db.transaction(async (tx) => {
    const { id: userId } = await getPerson(tx, person);
    const action = "member.password_reset_link_created";
    await auditPerson({ ...deps, tx }, { userId, actorUserId: null }, { action });
    return insertPasswordResetLink({ ...deps, tx }, { userId, provesAddress: true });
  });
}

/** Removes all second factors of a person at once. The operator is trusted to know that it is the right person. */
export async function removeFactorsAsOperator(
  { db, clock }: Pick<Deps, "db" | "clock">,
  person: Addressed,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id: userId } = await getPerson(tx, person);
    await removeFactors(tx, userId);
    const action = "member.second_factor_reset";
    await auditPerson({ tx, clock }, { userId, actorUserId: null }, { action });
  });
}

interface Disabled {
  sessions: number;
  /** API keys and connected programs. */
  keys: number;
  /** The slugs of organizations all of whose owners are disabled now. */
  withoutOwner: string[];
}

/**
 * Keeps a person out of everything until they are enabled: ends their sessions, and revokes their keys and the grants of
 * their programs for good. Memberships and what they made stay.
 */
export async function disablePersonAsOperator(
  { db, clock, keyCache }: Pick<Deps, "db" | "clock" | "keyCache">,
  person: Addressed,
): Promise<Disabled> {
  const { userId, ...disabled } = await db.transaction(async (tx) => {
    const { id: userId } = await getPerson(tx, person);
    const now = clock.now();
    const { count } = await tx.user.updateMany({
      where: { id: userId, disabledAt: null },
      data: { disabledAt: now, updatedAt: now },
    });
    if (count === 0) throw new AppError("conflict", `${person.email} is disabled already.`);
    // From here on a trigger refuses new sessions and keys, so none is missed.
    const sessions = await endSessions(tx, userId);
    await tx.verification.deleteMany({ where: { value: userId } });
    const keys = await tx.apiKey.updateMany({
      where: { userId, revokedAt: null },
      data: { revokedAt: now },
    });
    await auditPerson({ tx, clock }, { userId, actorUserId: null }, { action: "member.disabled" });
    return { userId, sessions, keys: keys.count, withoutOwner: await listWithoutOwner(tx, userId) };
  });
  keyCache.forgetKeysOf({ userId });
  return disabled;
}

/** Ends sessions, and sign-ins that have begun. */
async function endSessions(tx: Tx, userId: string): Promise<number> {
  await tx.signInRequest.deleteMany({ where: { userId } });
  const { count } = await tx.session.deleteMany({ where: { userId } });
  return count;
}

async function listWithoutOwner(tx: Tx, userId: string): Promise<string[]> {
  const organizations = await tx.organization.findMany({
    where: {
      members: { some: { userId, role: "owner" }, none: { role: "owner", user: { disabledAt: null } } },
    },
    select: { slug: true },
    orderBy: { slug: "asc" },
  });
  return organizations.map(({ slug }) => slug);
}

/** Lets a disabled person sign in again. */
export async function enablePersonAsOperator(
  { db, clock }: Pick<Deps, "db" | "clock">,
  person: Addressed,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id: userId } = await getPerson(tx, person);
    const { count } = await tx.user.updateMany({
      where: { id: userId, disabledAt: { not: null } },
      data: { disabledAt: null, updatedAt: clock.now() },
    });
    if (count === 0) throw new AppError("conflict", `${person.email} is not disabled.`);
    await auditPerson({ tx, clock }, { userId, actorUserId: null }, { action: "member.enabled" });
  });
}

/** Ends the sessions of a person. Returns how many. */
export async function endSessionsAsOperator(
  { db, clock }: Pick<Deps, "db" | "clock">,
  person: Addressed,
): Promise<number> {
  return db.transaction(async (tx) => {
    const { id: userId } = await getPerson(tx, person);
    // A sign-in takes the same lock, so it has ended, or begins after this.
    await lockRow(tx, { table: "users", key: { id: userId }, strength: "NO KEY UPDATE" });
    await auditPerson({ tx, clock }, { userId, actorUserId: null }, { action: "member.sessions_ended" });
    return endSessions(tx, userId);
  });
}

/** Ends the sessions of everybody. Returns how many. */
export async function endAllSessionsAsOperator({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  return db.transaction(async (tx) => {
    await recordAuditEverywhere({ tx, clock }, "sessions.ended");
    await tx.signInRequest.deleteMany();
    const { count } = await tx.session.deleteMany();
    return count;
  });
}
