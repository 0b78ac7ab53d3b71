import { once } from "node:events";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import type { Deps } from "@querybell/core";
import { createKey } from "@querybell/core/keys";
import { dbTest, testPassword } from "@querybell/core/testing";
import { type Caller, type CreateApiKey, Scope } from "@querybell/domain";
import { createLogger } from "@querybell/runtime";
import { createTRPCClient, httpLink } from "@trpc/client";
import { createServer } from "../server.ts";
import type { AppRouter } from "../trpc/router.ts";
import { fetchDocumented } from "./require-documented.ts";

type ServerSettings = Parameters<typeof createServer>[0]["settings"];

const testSettings = {
  NODE_ENV: "test",
  METRICS_TOKEN: undefined,
  RATE_LIMIT_PER_MINUTE: 600,
  MAX_SUBSCRIPTIONS: 50,
  // Tests choose their client address, because sign-in is limited by address.
  TRUSTED_PROXIES: "127.0.0.1",
  WEB_FOLDER: "",
} as const;

/** A test against the whole server, over real HTTP on loopback. */
export const apiTest = dbTest
  .extend("logLines", { scope: "file" }, () => [] as string[])
  .extend("serverSettings", { scope: "file" }, (): Partial<ServerSettings> => ({}))
  .extend("api", { scope: "file" }, async ({ deps, logLines, serverSettings }, { onCleanup }) => {
    const api = await startApi({ deps, logLines, settings: serverSettings });
    onCleanup(() => api[Symbol.asyncDispose]());
    return api;
  })
  .extend("makeKey", { scope: "file" }, ({ deps }) => {
    return (owner: Caller, options: Partial<CreateApiKey> = {}) =>
      createKey(deps, owner, { name: "Test key", scopes: [...Scope.options], ...options });
  });

interface ApiOptions {
  deps: Deps;
  logLines?: string[];
  settings?: Partial<ServerSettings>;
  timeouts?: Parameters<typeof createServer>[0]["timeouts"];
  stopping?: AbortSignal;
  logLevel?: string;
}

export type Api = Awaited<ReturnType<typeof startApi>>;

/** A separate server, for a test with other settings than the rest of its file. */
export async function startApi({
  deps,
  logLines = [],
  settings,
  timeouts,
  stopping,
  logLevel = "info",
}: ApiOptions) {
  const server = await createServer({
    deps,
    logger: createLogger("api", logLevel, { write: (line) => logLines.push(line) }),
    settings: { ...testSettings, ...settings },
    timeouts,
    ...(stopping && { stopping }),
  });
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    ...createApi(url, deps.deployment.publicUrl),
    /** How many clients are connected. */
    openConnections: () => promisify(server.server.getConnections.bind(server.server))(),
    /** The next client that connects, as the server sees it. */
    async nextConnection(): Promise<Socket> {
      const [socket] = await once(server.server, "connection");
      return socket;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

// Sign-in attempts are counted by address, so every test needs another address.
let addresses = 0;
const newAddress = () => `10.0.${Math.floor(++addresses / 256)}.${addresses % 256}`;

function createApi(url: string, origin: string) {
  const client = (headers: Record<string, string>) =>
    createTRPCClient<AppRouter>({
      links: [httpLink({ url: `${url}/api/trpc`, headers, fetch: fetchDocumented })],
    });

  /** A request as one of our pages sends it, from a new client address. */
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin,
        "x-forwarded-for": newAddress(),
        ...headers,
      },
      body: JSON.stringify(body),
    });

  const signIn = (email: string, password = testPassword): Promise<Response> =>
    post("/api/auth/sign-in/email", { email, password });

  /** Signs in and returns the session cookie. */
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
    post,
    signIn,
    sessionCookie,
    fetch: (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init),
    asNobody: () => client({}),
    withKey: (key: string) => client({ authorization: `Bearer ${key}` }),
    withCookie: (cookie: string) => client({ cookie, origin }),
    signedIn: async ({ email }: { email: string }) => client({ cookie: await sessionCookie(email), origin }),
  };
}
