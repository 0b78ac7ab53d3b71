import { isIP } from "node:net";
import type { Tx } from "@querybell/db";
import {
  AppError,
  type FactorCode,
  type FinishTotp,
  type Person,
  type RecoveryCodes,
  type SecondFactor,
  type SetUpFactor,
  type TotpSecret,
} from "@querybell/domain";
import type { Deployment, Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import type { Client } from "./client.ts";
import {
  acceptCode,
  acceptTotp,
  auditPerson,
  hasFactors,
  markConfirmed,
  replaceRecoveryCodes,
  sealTotpSecret,
} from "./factors.ts";
import { accountLimit, addressLimit, factorLimit, returnAttempt, takeAttempt } from "./sign-in-limits.ts";
import { newTotpSecret, toBase32, totpUri } from "./totp.ts";

export async function getSecondFactor(deps: Deps, { userId }: Person): Promise<SecondFactor> {
  const { prisma } = deps.db;
  const [totp, passkeys, recoveryCodesLeft, reset, password] = await Promise.all([
    prisma.totpFactor.findFirst({ where: { userId, confirmedAt: { not: null } } }),
    prisma.passkey.findMany({ where: { userId }, orderBy: { createdAt: "asc" } }),
    prisma.recoveryCode.count({ where: { userId } }),
    prisma.factorReset.findUnique({ where: { userId }, include: { requester: true } }),
    prisma.account.findFirst({ where: { userId, providerId: "credential", password: { not: null } } }),
  ]);
  return {
    totpSince: totp?.confirmedAt?.toISOString() ?? null,
    passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
      id,
      name,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    })),
    recoveryCodesLeft,
    canUsePasskeys: canUsePasskeys(deps.deployment),
    asksForPassword: totp === null && passkeys.length === 0 && password !== null,
    reset: reset && { effectiveAt: reset.effectiveAt.toISOString(), requestedBy: reset.requester.name },
  };
}

/** Browsers allow passkeys over https, and at localhost, but at no IP address. */
export function canUsePasskeys({ publicUrl }: Pick<Deployment, "publicUrl">): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return isIP(hostname.replaceAll(/[[\]]/g, "")) === 0 && (protocol === "https:" || isLocal);
}

/** Begins to set up codes of an app. Nothing is asked for until the first code has arrived. */
export async function startTotp(deps: Deps, person: Person, input: SetUpFactor): Promise<TotpSecret> {
  await requireProofOfPerson(deps, person, input);
  const { userId } = person;
  const secret = newTotpSecret();
  const sealedSecret = sealTotpSecret(deps, userId, secret);
  const now = deps.clock.now();
  const { email } = await deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "users", key: { id: userId } });
    const existing = await tx.totpFactor.findUnique({ where: { userId } });
    if (existing?.confirmedAt) {
      throw new AppError("conflict", "Codes of an app are set up already. Remove them first.");
    }
    const factor = { sealedSecret, lastUsedStep: 0, createdAt: now };
    await tx.totpFactor.upsert({ where: { userId }, create: { userId, ...factor }, update: factor });
    return tx.user.findUniqueOrThrow({ where: { id: userId } });
  });
  const { host } = new URL(deps.deployment.publicUrl);
  return { secret: toBase32(secret), uri: totpUri(secret, { email, host }) };
}

/** The first code of the app. From now on one is asked for at each sign-in. Ends the person's other sessions. */
export async function finishTotp(deps: Deps, person: Person, { code }: FinishTotp): Promise<RecoveryCodes> {
  const { userId } = person;
  return deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "users", key: { id: userId } });
    const hadFactors = await hasFactors(tx, userId);
    if (!(await acceptTotp({ ...deps, tx }, userId, { code, isSetUp: false }))) throw wrongCode();
    await tx.totpFactor.update({ where: { userId }, data: { confirmedAt: deps.clock.now() } });
    return finishSetUp({ ...deps, tx }, person, { hadFactors, factor: "totp" });
  });
}

const wrongCode = () =>
  new AppError("invalid_request", "This code is wrong, or was used before. Wait for the next one.", {
    errors: [{ path: "code", message: "is wrong, or was used before" }],
  });

interface SetUp {
  hadFactors: boolean;
  factor: "totp" | "passkey";
}

/** The end of each set-up: the first factor comes with recovery codes. */
export async function finishSetUp(
  deps: { tx: Tx } & Pick<Deps, "clock" | "sealer">,
  person: Person,
  { hadFactors, factor }: SetUp,
): Promise<RecoveryCodes> {
  const { userId, sessionId } = person;
  await markConfirmed(deps, person);
  // They have not presented it.
  await deps.tx.session.deleteMany({ where: { userId, id: { not: sessionId } } });
  await auditPerson(deps, { userId }, { action: "member.second_factor_added", detail: { factor } });
  return { codes: hadFactors ? [] : await replaceRecoveryCodes(deps, userId) };
}

export async function removeTotp(deps: Deps, { userId }: Person): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { count } = await tx.totpFactor.deleteMany({ where: { userId, confirmedAt: { not: null } } });
    if (count === 0) throw new AppError("not_found", "No codes of an app are set up.");
    await finishRemoval({ ...deps, tx }, userId, "totp");
  });
}

export async function finishRemoval(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  userId: string,
  factor: SetUp["factor"],
): Promise<void> {
  if (!(await hasFactors(deps.tx, userId))) await deps.tx.recoveryCode.deleteMany({ where: { userId } });
  await auditPerson(deps, { userId }, { action: "member.second_factor_removed", detail: { factor } });
}

export async function renewRecoveryCodes(deps: Deps, { userId }: Person): Promise<RecoveryCodes> {
  return deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "users", key: { id: userId } });
    if (!(await hasFactors(tx, userId))) {
      throw new AppError("conflict", "Recovery codes replace a second factor. Set up one first.");
    }
    return { codes: await replaceRecoveryCodes({ ...deps, tx }, userId) };
  });
}

/** Confirms with a code of the app or a recovery code. Dangerous acts are allowed for some minutes. */
export async function confirmWithCode(
  deps: Deps,
  person: Person,
  { code }: FactorCode,
  client: Client,
): Promise<void> {
  const limits = [factorLimit(person.userId), addressLimit(client)] as const;
  await takeAttempt(deps, limits);
  await deps.db.transaction(async (tx) => {
    if (!(await acceptCode({ ...deps, tx }, person.userId, code))) throw wrongCode();
    await markConfirmed({ ...deps, tx }, person);
    await returnAttempt(tx, limits);
  });
}

/**
 * The first factor needs the password, or a stolen session could lock its owner out. Further ones are dangerous acts,
 * for which the router asks for a factor. An account without a password must have signed in a moment ago.
 */
export async function requireProofOfPerson(
  deps: Deps,
  { userId, sessionId }: Person,
  { currentPassword }: SetUpFactor,
): Promise<void> {
  if (await hasFactors(deps.db.prisma, userId)) return;
  const account = await deps.db.prisma.account.findFirst({
    where: { userId, providerId: "credential", password: { not: null } },
    include: { user: true },
  });
  if (!account?.password) return requireNewSession(deps, sessionId);
  const limits = [accountLimit(account.user.email), addressLimit({ address: null })] as const;
  await takeAttempt(deps, limits);
  const { password: hasher } = await deps.auth.$context;
  if (!(await hasher.verify({ hash: account.password, password: currentPassword ?? "" }))) {
    throw new AppError("invalid_request", "The current password is wrong.", {
      errors: [{ path: "currentPassword", message: "is wrong" }],
    });
  }
  await deps.db.transaction((tx) => returnAttempt(tx, limits));
}

async function requireNewSession({ db, clock }: Deps, sessionId: string): Promise<void> {
  const session = await db.prisma.session.findUnique({ where: { id: sessionId } });
  if (session && session.createdAt.getTime() > clock.now().getTime() - 10 * 60_000) return;
  throw new AppError("forbidden", "Sign out and in again, then set it up within ten minutes.");
}
