import { AppError, errorCodes } from "@querybell/domain";
import { getTRPCErrorShape } from "@trpc/server";
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import type { FastifyInstance } from "fastify";
import { httpRefusal } from "../http/http-refusal.ts";
import { logFailure } from "../http/log-failure.ts";
import type { CreateContext } from "./context.ts";
import { asTrpcError, refusalFor } from "./error-shape.ts";
import { type AppRouter, appRouter } from "./router.ts";

/** tRPC under `/api/trpc`. What Fastify refuses there by itself is answered in the shape that tRPC's clients read. */
export async function addTrpcRoutes(app: FastifyInstance, createContext: CreateContext): Promise<void> {
  await app.register(async (scope) => {
    // The adapter hands forms on as streams that no body limit counts, and no procedure takes one.
    scope.addHook("onRequest", async ({ headers }) => {
      if (headers["content-type"]?.startsWith("multipart/")) throw new AppError("unsupported_media_type");
    });
    scope.setErrorHandler((error, request, reply) => {
      const refusal = httpRefusal(error);
      logFailure(request.log, refusal);
      return reply.code(errorCodes[refusal.code].status).send({ error: errorShape(refusal) });
    });
    await scope.register(fastifyTRPCPlugin, {
      prefix: "/api/trpc",
      trpcOptions: {
        router: appRouter,
        createContext: ({ req }) => createContext(req),
        maxBatchSize: 20,
        onError: ({ error, req }) => logFailure(req.log, refusalFor(error)),
        responseMeta: ({ errors }) => {
          const waits = errors.flatMap((error) => refusalFor(error).retryAfterSeconds ?? []);
          return waits.length > 0 ? { headers: { "retry-after": String(Math.max(...waits)) } } : {};
        },
      },
    } satisfies FastifyTRPCPluginOptions<AppRouter>);
  });
}

const errorShape = (refusal: AppError) =>
  getTRPCErrorShape({
    config: appRouter._def._config,
    error: asTrpcError(refusal),
    type: "unknown",
    path: undefined,
    input: undefined,
    ctx: undefined,
  });
