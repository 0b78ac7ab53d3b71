import type { Tx } from "@querybell/db";
import {
  AppError,
  type ChangePassword,
  newId,
  type Person,
  type ResetPassword,
  type UpdateFirstSteps,
  type UpdateProfile,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { removeFactors } from "./factors.ts";
import { resetIdentifier } from "./password-reset-link.ts";

interface NewUser {
  name: string;
  email: string;
  /** Null for an account that signs in through a provider. */
  password: string | null;
  /** Whether the person has proven to own this address. */
  emailVerified: boolean;
}

/** Inserts the rows that better-auth needs for signing in, in our transaction. */
export async function createUser(
  { tx, clock, auth }: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  { name, email, password, emailVerified }: NewUser,
): Promise<string> {
  const { password: hasher } = await auth.$context;
  const now = clock.now();
  const id = newId(clock);
  const times = { createdAt: now, updatedAt: now };
  const credential = password !== null && {
    accounts: {
      create: {
        id: newId(clock),
        accountId: id,
        providerId: "credential",
        password: await hasher.hash(password),
        ...times,
      },
    },
  };
  await tx.user.create({ data: { id, name, email, emailVerified, ...times, ...credential } });
  return id;
}

export async function updateProfile(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { userId }: Pick<Person, "userId">,
  { name }: UpdateProfile,
): Promise<void> {
  await db.prisma.user.update({ where: { id: userId }, data: { name, updatedAt: clock.now() } });
}

/** Dismisses the first steps of the start page, or shows them again. */
export async function updateFirstSteps(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { userId }: Pick<Person, "userId">,
  { hidesFirstSteps }: UpdateFirstSteps,
): Promise<void> {
  await db.prisma.user.update({ where: { id: userId }, data: { hidesFirstSteps, updatedAt: clock.now() } });
}

/** Also ends the person's other sessions. A database trigger deletes their password reset links. */
export async function changePassword(
  { db, auth, clock }: Deps,
  { userId, sessionId }: Person,
  { currentPassword, newPassword }: ChangePassword,
): Promise<void> {
  const { password: hasher } = await auth.$context;
  const where = { userId, providerId: "credential" };
  const account = await db.prisma.account.findFirst({ where });
  if (!account) {
    throw new AppError(
      "forbidden",
      "Your account has no password. Set one with “Forgot password?” on the sign-in page.",
    );
  }
  const { id, password } = account;
  if (password === null || !(await hasher.verify({ hash: password, password: currentPassword }))) {
    throw new AppError("invalid_request", "The current password is wrong.", {
      errors: [{ path: "currentPassword", message: "is wrong" }],
    });
  }
  const hash = await hasher.hash(newPassword);
  await db.transaction(async (tx) => {
    // Matches the hash that was verified, so of two concurrent changes the second fails.
    const { count } = await tx.account.updateMany({
      where: { id, password },
      data: { password: hash, updatedAt: clock.now() },
    });
    if (count === 0) throw new AppError("conflict", "The password has just been changed. Sign in again.");
    await tx.session.deleteMany({ where: { userId, id: { not: sessionId } } });
    await tx.signInRequest.deleteMany({ where: { userId } });
  });
}

/**
 * Sets a new password with a link, once, and ends all sessions. Whether the address is proven from then on
 * depends on who was given the link. better-auth's own reset takes several transactions and makes no such
 * difference, so it is not used.
 */
export async function resetPassword(deps: Deps, { token, newPassword }: ResetPassword): Promise<void> {
  const { db, clock, keyCache } = deps;
  const link = { identifier: resetIdentifier(token), expiresAt: { gt: clock.now() } };
  const userId = await db.transaction(async (tx) => {
    const found = await tx.verification.findFirst({ where: link });
    if (!found) throw linkEnded();
    const { value: userId, provesAddress } = found;
    // Locked before the link is deleted: of two links of one person that are used at once, the first ends the other.
    await lockRow(tx, { table: "users", key: { id: userId } });
    const { count } = await tx.verification.deleteMany({ where: link });
    if (count === 0) throw linkEnded();
    const { emailVerified } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
    if (provesAddress && !emailVerified) {
      await takeOverAccount({ ...deps, tx }, { userId, password: newPassword });
    } else {
      // The person who was shown the link may have used it. Then the address is unproven, even if it was
      // proven before.
      await tx.user.update({ where: { id: userId }, data: { emailVerified: provesAddress } });
      await setPassword({ ...deps, tx }, { userId, password: newPassword });
    }
    return userId;
  });
  keyCache.forgetKeysOf({ userId });
}

const linkEnded = () =>
  new AppError("invalid_request", "This link has been used already or has expired. Ask for a new one.");

/**
 * Transfers an account to the person who has proven to own its address. Replaces the password, ends all sessions and
 * revokes all API keys, and removes second factors and links to providers: they may belong to somebody else. Without a
 * password, a provider signs the person in.
 */
export async function takeOverAccount(
  deps: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  { userId, password, name }: { userId: string; password: string | null; name?: string },
): Promise<void> {
  const { tx, clock } = deps;
  const now = clock.now();
  await tx.user.update({
    where: { id: userId },
    data: { ...(name !== undefined && { name }), emailVerified: true, updatedAt: now },
  });
  await setPassword(deps, { userId, password });
  await removeFactors(tx, userId);
  await tx.account.deleteMany({ where: { userId, providerId: { not: "credential" } } });
  await tx.apiKey.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });
}

/** Replaces the password and ends all sessions. A database trigger deletes the password reset links. */
async function setPassword(
  { tx, clock, auth }: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  { userId, password }: { userId: string; password: string | null },
): Promise<void> {
  const { password: hasher } = await auth.$context;
  const now = clock.now();
  const change = { password: password === null ? null : await hasher.hash(password), updatedAt: now };
  const where = { providerId_accountId: { providerId: "credential", accountId: userId } };
  await tx.account.upsert({
    where,
    create: {
      id: newId(clock),
      userId,
      accountId: userId,
      providerId: "credential",
      createdAt: now,
      ...change,
    },
    update: change,
  });
  await tx.session.deleteMany({ where: { userId } });
  await tx.signInRequest.deleteMany({ where: { userId } });
}
