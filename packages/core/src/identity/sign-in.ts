import type { Tx } from "@querybell/db";
import {
  AppError,
  describeProgram,
  type FactorCode,
  type FailedSignIns,
  type SignInWithPassword,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type Mail, queueMail } from "../mail.ts";
import type { Client } from "./client.ts";
import { createSession } from "./create-session.ts";
import { applyDueReset } from "./factor-resets.ts";
import { acceptCode, hasFactors } from "./factors.ts";
import {
  type Attempt,
  accountLimit,
  addressLimit,
  factorLimit,
  returnAttempt,
  takeAttempt,
} from "./sign-in-limits.ts";
import { findRequest, newRequestToken, requestCookie, saveRequest, takeRequest } from "./sign-in-requests.ts";

export interface SignInAnswer {
  /** `second_factor`: the password was right, and the sign-in goes on with `finishSignIn`. */
  status: "signed_in" | "second_factor";
  /** To set. */
  cookies: string[];
}

const wrongPassword = () => new AppError("unauthorized", "The email address or the password is wrong.");

/** Signs in with a password. A wrong password and an unknown address give the same answer, in about the same time. */
export async function signInWithPassword(
  deps: Deps,
  { email, password }: SignInWithPassword,
  client: Client,
): Promise<SignInAnswer> {
  refuseIfProviderOnly(deps);
  const limits = [accountLimit(email), addressLimit(client)] as const;
  const attempt = await takeAttempt(deps, limits);
  const { password: hasher } = await deps.auth.$context;
  const account = await deps.db.prisma.account.findFirst({
    where: { providerId: "credential", user: { email } },
    include: { user: true },
  });
  if (!account?.password) {
    await hasher.hash(password);
    throw wrongPassword();
  }
  const { id, userId } = account;
  if (!(await hasher.verify({ hash: account.password, password }))) {
    await recordFailure(deps, account.user, { attempt, client });
    throw wrongPassword();
  }
  const checked = account.password;
  return deps.db.transaction(async (tx) => {
    // A password that is changed at the same time ends all sessions: this one must not begin after that.
    await requirePassword(tx, { id, password: checked });
    await returnAttempt(tx, limits);
    await applyDueReset({ ...deps, tx }, userId);
    if (await hasFactors(tx, userId)) {
      const token = newRequestToken();
      await saveRequest({ ...deps, tx }, token, { kind: "second_factor", userId });
      return { status: "second_factor", cookies: [requestCookie(deps, token)] };
    }
    const { cookie } = await createSession({ ...deps, tx }, { userId, client });
    return { status: "signed_in", cookies: [cookie] };
  });
}

/** The second step after a password: a code of the app, or a recovery code. */
export async function finishSignIn(
  deps: Deps,
  { token, code }: { token: string | undefined } & FactorCode,
  client: Client,
): Promise<SignInAnswer> {
  const request = await findRequest(deps, token, "second_factor");
  if (!request) throw new AppError("unauthorized", "Your sign-in has taken too long. Begin again.");
  const { userId } = request;
  const limits = [factorLimit(userId), addressLimit(client)] as const;
  const attempt = await takeAttempt(deps, limits);
  const cookies = await deps.db.transaction(async (tx) => {
    if (!(await acceptCode({ ...deps, tx }, userId, code))) return undefined;
    // A password that was changed meanwhile has deleted it.
    if (!(await takeRequest({ ...deps, tx }, token, "second_factor"))) throw wrongCode();
    await returnAttempt(tx, limits);
    const { cookie } = await createSession(
      { ...deps, tx },
      { userId, client, secondFactorAt: deps.clock.now() },
    );
    return [cookie, requestCookie(deps, null)];
  });
  if (cookies) return { status: "signed_in", cookies };
  const user = await deps.db.prisma.user.findUniqueOrThrow({ where: { id: userId } });
  await recordFailure(deps, user, { attempt, client });
  throw wrongCode();
}

const wrongCode = () =>
  new AppError("unauthorized", "This code is wrong, or was used before. Wait for the next one.");

/** The operator can demand that everybody signs in through the deployment's provider. */
export function refuseIfProviderOnly({ singleSignOn }: Pick<Deps, "singleSignOn">): void {
  if (!singleSignOn.deployment?.enforced) return;
  throw new AppError("forbidden", `Here, everybody signs in with ${singleSignOn.deployment.name}.`);
}

async function requirePassword(tx: Tx, { id, password }: { id: string; password: string }): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM accounts WHERE id = ${id}::uuid AND password = ${password} FOR SHARE`;
  if (rows.length === 0) throw wrongPassword();
}

interface Failure {
  attempt: Attempt;
  client: Client;
}

/** Counts a failed attempt for the notice that the person sees next. The last one that is allowed is also mailed. */
async function recordFailure(
  deps: Deps,
  { id: userId, email }: { id: string; email: string },
  { attempt, client }: Failure,
): Promise<void> {
  const at = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    await tx.$executeRaw`
      INSERT INTO failed_sign_ins AS f (user_id, count, first_at, last_at, last_address, last_user_agent)
      VALUES (${userId}::uuid, 1, ${at}, ${at}, ${client.address}, ${client.userAgent})
      ON CONFLICT (user_id) DO UPDATE SET count = f.count + 1, last_at = excluded.last_at,
        last_address = excluded.last_address, last_user_agent = excluded.last_user_agent`;
    if (!attempt.isLast) return;
    const mail = limitMail(email, client, await hasFactors(tx, userId));
    await queueMail({ ...deps, tx }, userId, mail);
  });
}

const limitMail = (to: string, { address, userAgent }: Client, hasSecondFactor: boolean): Mail => ({
  to,
  subject: "Failed attempts to sign in to Querybell",
  text: [
    `Somebody has tried several times to sign in as you, and failed. The last attempt came from ${address ?? "an unknown address"} (${describeProgram(userAgent)}).`,
    "For some minutes nobody can sign in to your account with a password. Who is signed in stays so.",
    `If it was not you, choose a password that you use nowhere else${hasSecondFactor ? "" : ", and set up a second factor"}.`,
  ].join("\n\n"),
});

/** Failed attempts that the person has not dismissed yet. */
export async function findFailedSignIns(
  { db }: Pick<Deps, "db">,
  { userId }: { userId: string },
): Promise<FailedSignIns | null> {
  const found = await db.prisma.failedSignIns.findUnique({ where: { userId } });
  if (!found) return null;
  return {
    count: found.count,
    firstAt: found.firstAt.toISOString(),
    lastAt: found.lastAt.toISOString(),
    lastProgram: describeProgram(found.lastUserAgent),
    lastAddress: found.lastAddress,
    hasSecondFactor: await hasFactors(db.prisma, userId),
  };
}

/** Keeps the notice if there were more attempts since the person saw it. */
export async function dismissFailedSignIns(
  { db }: Pick<Deps, "db">,
  { userId }: { userId: string },
  { lastAt }: { lastAt: string },
): Promise<void> {
  await db.prisma.failedSignIns.deleteMany({ where: { userId, lastAt: { lte: lastAt } } });
}
