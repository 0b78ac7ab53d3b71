import type { IncomingHttpHeaders } from "node:http";
import { initTRPC, TRPCError } from "@trpc/server";
import { createHTTPServer } from "@trpc/server/adapters/standalone";

interface Context {
  headers: IncomingHttpHeaders;
}

/** The one key that the server knows. */
export const goodKey = "qb_good";

const refusal = { code: "BAD_REQUEST", httpStatus: 400, reason: "invalid_request" } as const;
const unauthorized = { code: "UNAUTHORIZED", httpStatus: 401, reason: "unauthorized" } as const;

const t = initTRPC.context<Context>().create({
  isDev: false,
  // The same error format as the API's.
  errorFormatter: ({ shape, error, path }) => ({
    ...shape,
    data:
      error.code === "UNAUTHORIZED"
        ? { ...unauthorized, path }
        : { ...refusal, errors: [{ path: "name", message: "must not be empty" }], path },
  }),
});

const router = t.router({
  keys: t.router({
    describe: t.procedure.query(({ ctx }) => ({ name: ctx.headers.authorization ?? "nobody" })),
    echo: t.procedure.input((input) => input).query(({ input }) => input),
    create: t.procedure.mutation(() => {
      throw new TRPCError({ code: "BAD_REQUEST", message: "name: must not be empty" });
    }),
  }),
  members: t.router({
    list: t.procedure.query(() => {
      throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in first." });
    }),
  }),
  counting: t.procedure.subscription(async function* ({ ctx }) {
    for (let count = 1; count <= 3; count++) yield `${count} for ${ctx.headers.authorization ?? "nobody"}`;
  }),
});

/**
 * A tRPC server with a few procedures, over real HTTP on loopback. Records the path and input of each call.
 */
export async function startWireServer() {
  const paths: string[] = [];
  const inputs: (string | null)[] = [];
  const server = createHTTPServer({
    router,
    basePath: "/api/trpc/",
    // As the API does.
    allowMethodOverride: true,
    createContext: ({ req }) => {
      const { authorization } = req.headers;
      if (authorization !== undefined && authorization !== `Bearer ${goodKey}`) {
        throw new TRPCError({
          code: "UNAUTHORIZED",
          message: "This API key is unknown, revoked or expired.",
        });
      }
      return { headers: req.headers };
    },
    responseMeta: ({ errors }) => (errors.length > 0 ? { headers: { "retry-after": "7" } } : {}),
  });
  server.on("request", ({ url = "" }) => {
    const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
    paths.push(pathname);
    inputs.push(searchParams.get("input"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    paths,
    inputs,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
