import { createUnanswered, Failure } from "../../errors/failure.ts";

/** Signs in. The session is an HTTP-only cookie, which scripts cannot read. */
export const signIn = (account: { email: string; password: string }): Promise<void> =>
  post("sign-in/email", account).catch((error: unknown) => {
    // A wrong password does not mean that the current session has ended.
    throw error instanceof Failure && error.code === "unauthorized" ? new Failure(error.message) : error;
  });

export const signOut = (): Promise<void> => post("sign-out", {});

export const requestPasswordReset = (person: { email: string }): Promise<void> =>
  post("request-password-reset", person);

export const resetPassword = (change: { token: string; newPassword: string }): Promise<void> =>
  post("reset-password", change);

async function post(route: string, body: object): Promise<void> {
  const answer = await fetch(`/api/auth/${route}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  if (!answer) throw createUnanswered();
  if (answer.ok) return;
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
