import { randomBytes } from "node:crypto";
import type { Tx } from "@querybell/db";
import { AppError, type AuditAction, confirmedForMs, newId, type Person } from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { type Mail, queueMail } from "../mail.ts";
import { hashToken } from "./secret-token.ts";
import { findStep } from "./totp.ts";

type TxDeps = { tx: Tx } & Pick<Deps, "clock" | "sealer">;

/** Whether the person has a second factor. Recovery codes alone are none. */
export async function hasFactors(db: Pick<Tx, "totpFactor" | "passkey">, userId: string): Promise<boolean> {
  const [totp, passkey] = await Promise.all([
    db.totpFactor.findFirst({ where: { userId, confirmedAt: { not: null } }, select: { userId: true } }),
    db.passkey.findFirst({ where: { userId }, select: { id: true } }),
  ]);
  return totp !== null || passkey !== null;
}

const purposeOf = (userId: string) => `totp secret of ${userId}`;

export const sealTotpSecret = (
  { sealer }: Pick<Deps, "sealer">,
  userId: string,
  secret: Uint8Array,
): string => sealer.seal(purposeOf(userId), secret);

export const openTotpSecret = (
  { sealer }: Pick<Deps, "sealer">,
  userId: string,
  sealed: string,
): Uint8Array => sealer.open(purposeOf(userId), sealed);

/** Accepts a code of the app once: a step that was used, or an earlier one, is refused from then on. */
export async function acceptTotp(
  { tx, clock, sealer }: TxDeps,
  userId: string,
  { code, isSetUp }: { code: string; isSetUp: boolean },
): Promise<boolean> {
  const factor = await tx.totpFactor.findUnique({ where: { userId } });
  if (!factor || (factor.confirmedAt !== null) !== isSetUp) return false;
  const step = findStep(openTotpSecret({ sealer }, userId, factor.sealedSecret), code, clock.now());
  if (step === undefined) return false;
  const { count } = await tx.totpFactor.updateMany({
    where: { userId, lastUsedStep: { lt: step } },
    data: { lastUsedStep: step },
  });
  return count === 1;
}

const codeCount = 10;
const codeAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** 16 letters of 32: 80 random bits, so a plain hash is enough. */
const newRecoveryCode = (): string => {
  const letters = [...randomBytes(16)].map((byte) => codeAlphabet[byte % 32]).join("");
  return (letters.match(/.{4}/g) ?? []).join("-");
};

const hashCode = (userId: string, code: string) =>
  hashToken(`${userId}:${code.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")}`);

/** Replaces the person's recovery codes. */
export async function replaceRecoveryCodes({ tx, clock }: TxDeps, userId: string): Promise<string[]> {
  const codes = Array.from({ length: codeCount }, newRecoveryCode);
  await tx.recoveryCode.deleteMany({ where: { userId } });
  await tx.recoveryCode.createMany({
    data: codes.map((code) => ({ id: newId(clock), userId, codeHash: hashCode(userId, code) })),
  });
  return codes;
}

/** Accepts a recovery code once, and tells the person by mail that it was used. */
async function acceptRecoveryCode(
  deps: TxDeps & Pick<Deps, "deployment">,
  userId: string,
  code: string,
): Promise<boolean> {
  const { tx } = deps;
  const { count } = await tx.recoveryCode.deleteMany({ where: { userId, codeHash: hashCode(userId, code) } });
  if (count === 0) return false;
  const left = await tx.recoveryCode.count({ where: { userId } });
  const { email } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
  await queueMail(deps, userId, recoveryMail(email, left));
  return true;
}

const recoveryMail = (to: string, left: number): Mail => ({
  to,
  subject: "A recovery code of your Querybell account was used",
  text: [
    `Somebody has used a recovery code instead of your second factor. ${left} are left.`,
    "If it was not you, change your password, and sign out all others in your account.",
  ].join("\n\n"),
});

/** Accepts a code of the app, or a recovery code. */
export async function acceptCode(
  deps: TxDeps & Pick<Deps, "deployment">,
  userId: string,
  code: string,
): Promise<boolean> {
  const compact = code.replaceAll(/[\s-]/g, "");
  if (/^\d{6}$/.test(compact)) return acceptTotp(deps, userId, { code: compact, isSetUp: true });
  return (await hasFactors(deps.tx, userId)) && acceptRecoveryCode(deps, userId, compact);
}

/** Records that the session has presented the second factor. */
export async function markConfirmed(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { sessionId }: Pick<Person, "sessionId">,
): Promise<void> {
  await tx.session.updateMany({ where: { id: sessionId }, data: { secondFactorAt: clock.now() } });
}

/** Throws `confirmation_required` if the person has a second factor that this session has not presented lately. */
export async function requireConfirmed(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { userId, sessionId }: Person,
): Promise<void> {
  const session = await db.prisma.session.findUnique({ where: { id: sessionId } });
  const at = session?.secondFactorAt?.getTime() ?? 0;
  if (at > clock.now().getTime() - confirmedForMs) return;
  if (!(await hasFactors(db.prisma, userId))) return;
  throw new AppError("confirmation_required", "Confirm with your second factor first, then do it again.");
}

/** Removes all factors of a person. Their password alone signs them in from then on. */
export async function removeFactors(tx: Tx, userId: string): Promise<void> {
  await tx.totpFactor.deleteMany({ where: { userId } });
  await tx.passkey.deleteMany({ where: { userId } });
  await tx.recoveryCode.deleteMany({ where: { userId } });
  await tx.factorReset.deleteMany({ where: { userId } });
}

/** Writes an entry into the audit log of each of the person's organizations. */
export async function auditPerson(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { userId, actorUserId = userId }: { userId: string; actorUserId?: string | null },
  entry: { action: AuditAction; detail?: Record<string, string> },
): Promise<void> {
  const memberships = await tx.member.findMany({ where: { userId }, select: { organizationId: true } });
  for (const { organizationId } of memberships) {
    await recordAudit({ tx, clock }, { organizationId, userId: actorUserId }, { ...entry, targetId: userId });
  }
}
