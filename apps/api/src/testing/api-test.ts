import { createKey } from "@querybell/core";
import { type Caller, type CreateApiKey, Scope } from "@querybell/domain";
import { dbTest, testPassword } from "@querybell/testkit";
import { createTRPCClient, httpLink } from "@trpc/client";
import { pino } from "pino";
import { createServer } from "../server.ts";
import type { AppRouter } from "../trpc/router.ts";

export const testSettings = {
  NODE_ENV: "test",
  METRICS_TOKEN: undefined,
  RATE_LIMIT_PER_MINUTE: 600,
  // Tests choose the address they come from, so that limits on sign-in never meet.
  TRUSTED_PROXIES: "127.0.0.1",
  WEB_FOLDER: "",
} as const;

/** A test against the whole server, over real HTTP on loopback. */
export const apiTest = dbTest
  .extend("logLines", { scope: "file" }, () => [] as string[])
  .extend("api", { scope: "file" }, async ({ deps, logLines }, { onCleanup }) => {
    const server = await createServer({
      deps,
      logger: pino({ level: "info" }, { write: (line: string) => logLines.push(line) }),
      settings: testSettings,
    });
    const url = await server.listen({ host: "127.0.0.1", port: 0 });
    onCleanup(() => server.close());
    return createApi(url, deps.deployment.publicUrl);
  })
  .extend("makeKey", { scope: "file" }, ({ deps }) => {
    return (owner: Caller, options: Partial<CreateApiKey> = {}) =>
      createKey(deps, owner, { name: "Test key", scopes: [...Scope.options], ...options });
  });

function createApi(url: string, origin: string) {
  let addresses = 0;
  const client = (headers: Record<string, string>) =>
    createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/api/trpc`, headers })] });

  const signIn = async (email: string, password = testPassword): Promise<Response> =>
    fetch(`${url}/api/auth/sign-in/email`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin,
        "x-forwarded-for": `192.0.2.${++addresses % 256}`,
      },
      body: JSON.stringify({ email, password }),
    });

  /** The session cookie of somebody who signs in, as a browser would send it back. */
  const sessionCookie = async (email: string, password?: string): Promise<string> => {
    const answer = await signIn(email, password);
    if (!answer.ok) throw new Error(`sign-in answered ${answer.status}: ${await answer.text()}`);
    return answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0])
      .join("; ");
  };

  return {
    url,
    origin,
    signIn,
    sessionCookie,
    fetch: (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init),
    asNobody: () => client({}),
    withKey: (key: string) => client({ authorization: `Bearer ${key}` }),
    withCookie: (cookie: string) => client({ cookie, origin }),
    signedIn: async ({ email }: { email: string }) => client({ cookie: await sessionCookie(email), origin }),
  };
}
