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

/** Signs out. Returns the address at which to sign out at the provider, if the session came from one. */
export const signOut = async (): Promise<string | undefined> => {
  const { url } = await post("sign-out", {});
  return typeof url === "string" ? url : undefined;
};

/** Leaves for the provider: the operator's, or that of an address or an organization. It sends the browser back. */
export async function startSingleSignOn(choice: {
  to: string;
  email?: string;
  organization?: string;
}): Promise<void> {
  await leaveFor(await postSignIn("oidc/start", choice));
}

/** Links the account to a person at the organization's provider. */
export async function linkProvider(organization: string): Promise<void> {
  await leaveFor(await post("oidc/link", { organization, to: "/account" }));
}

async function leaveFor({ url }: Record<string, unknown>): Promise<void> {
  if (typeof url !== "string") throw new Failure("The provider cannot be reached. Try again.");
  location.assign(url);
  // The page is about to be left: whoever waits must not go on.
  await new Promise(() => {});
}

interface DeploymentProvider {
  name: string | null;
  enforced: boolean;
}

export async function readDeploymentProvider(): Promise<DeploymentProvider> {
  const answer = await fetch("/api/auth/oidc").catch(() => undefined);
  const body = answer?.ok ? await answer.json() : {};
  return { name: typeof body.name === "string" ? body.name : null, enforced: body.enforced === true };
}

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
