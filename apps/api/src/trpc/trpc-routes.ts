import { type AppError, errorCodes } from "@querybell/domain";
import { getTRPCErrorShape } from "@trpc/server";
import { fastifyRequestHandler } from "@trpc/server/adapters/fastify";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { decodeBody } from "../http/body-text.ts";
import { httpToAppError } from "../http/http-error.ts";
import { logFailure } from "../http/log-failure.ts";
import type { CreateContext } from "./context.ts";
import { toAppErrorOrInternal, toTrpcError } from "./error-shape.ts";
import { type AppRouter, appRouter } from "./router.ts";

// The answers of a batch are written as one text, and each of them can be some megabytes long.
const maxBatchSize = 5;

/** tRPC under `/api/trpc`. What Fastify refuses there by itself is answered in the shape that tRPC's clients read. */
export async function addTrpcRoutes(app: FastifyInstance, createContext: CreateContext): Promise<void> {
  await app.register(async (scope) => {
    // tRPC parses the JSON itself. Every other type of body is refused by Fastify.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "buffer" },
      async (request: FastifyRequest, body: Buffer) => decodeBody(body, request.headers["content-type"]),
    );
    scope.setErrorHandler((error, request, reply) => {
      const refusal = httpToAppError(error);
      logFailure(request.log, refusal);
      return reply.code(errorCodes[refusal.code].status).send({ error: errorShape(refusal) });
    });
    scope.all<{ Params: { path: string } }>("/api/trpc/:path", (req, res) =>
      fastifyRequestHandler<AppRouter, typeof req, typeof res>({
        req,
        res,
        path: req.params.path,
        router: appRouter,
        createContext: () => createContext(req),
        maxBatchSize,
        onError: ({ error }) => logFailure(req.log, toAppErrorOrInternal(error)),
        responseMeta: ({ errors }) => {
          const waits = errors.flatMap((error) => toAppErrorOrInternal(error).retryAfterSeconds ?? []);
          return waits.length > 0 ? { headers: { "retry-after": String(Math.max(...waits)) } } : {};
        },
      }),
    );
  });
}

const errorShape = (refusal: AppError) =>
  getTRPCErrorShape({
    config: appRouter._def._config,
    error: toTrpcError(refusal),
    type: "unknown",
    path: undefined,
    input: undefined,
    ctx: undefined,
  });
