import { createUnanswered, Failure } from "../../errors/failure.ts";
import { answerWithPasskey } from "../../session/passkeys.ts";

type SignInStatus = "signed_in" | "second_factor";

/** Signs in. The session is an HTTP-only cookie, which scripts cannot read. With a second factor, a code must follow. */
export const signIn = async (account: { email: string; password: string }): Promise<SignInStatus> => {
  const { status } = await postSignIn("sign-in/email", account);
  return status === "second_factor" ? status : "signed_in";
};

/** The second step of a sign-in: a code of the app, or a recovery code. */
export const sendCode = async (code: string): Promise<void> => {
  await postSignIn("sign-in/second-factor", { code });
};

/** Signs in by passkey, without a password. */
export async function signInWithPasskey(): Promise<void> {
  const { options } = await postSignIn("sign-in/passkey/options", {});
  const credential = await answerWithPasskey<object>(typeof options === "object" ? { ...options } : {});
  await postSignIn("sign-in/passkey", { credential });
}

const postSignIn = (route: string, body: object): Promise<Record<string, unknown>> =>
  post(route, body).catch((error: unknown) => {
    // A wrong password does not mean that the current session has ended.
    throw error instanceof Failure && error.code === "unauthorized" ? new Failure(error.message) : error;
  });

export const signOut = async (): Promise<void> => {
  await post("sign-out", {});
};

export const requestPasswordReset = async (person: { email: string }): Promise<void> => {
  await post("request-password-reset", person);
};

export const resetPassword = async (change: { token: string; newPassword: string }): Promise<void> => {
  await post("reset-password", change);
};

async function post(route: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`/api/auth/${route}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  if (!answer) throw createUnanswered();
  if (answer.ok) return { ...(await answer.json().catch(() => undefined)) };
  const { code, detail } = await readProblem(answer);
  const fallback = `The server answered with ${answer.status}. Try again in a moment.`;
  throw new Failure(detail ?? fallback, code);
}

type Problem = Partial<Record<"code" | "detail", string>>;

async function readProblem(answer: Response): Promise<Problem> {
  const body: unknown = await answer.json().catch(() => undefined);
  const texts = Object.entries(body ?? {}).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts);
}
