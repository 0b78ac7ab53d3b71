import { AppError, errorCodes } from "@querybell/domain";
import { getTRPCErrorShape, type TRPCError } from "@trpc/server";
import { fastifyRequestHandler } from "@trpc/server/adapters/fastify";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { httpToAppError, logServerError } from "../http/problem.ts";
import { decodeBody } from "../http/request-body.ts";
import type { CreateContext } from "./context.ts";
import { toAppErrorOrInternal, toTrpcError } from "./error-shape.ts";
import { type AppRouter, appRouter } from "./router.ts";
import { answerSingleCall, readSingleCall, type TrpcRoute } from "./single-call.ts";
import { answerSubscription, readSubscription } from "./subscription-call.ts";

// The responses of a batch are serialized as one string, and each can have several megabytes.
const maxBatchSize = 5;

/** Serves tRPC under `/api/trpc`. Fastify's own errors there get the shape that tRPC clients read. */
export async function addTrpcRoutes(app: FastifyInstance, createContext: CreateContext): Promise<void> {
  await app.register(async (scope) => {
    // tRPC parses the JSON itself. Fastify rejects every other content type.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "buffer" },
      (request: FastifyRequest, body: Buffer, done) => {
        try {
          done(null, decodeBody(body, request.headers["content-type"]));
        } catch (error) {
          done(httpToAppError(error));
        }
      },
    );
    scope.setErrorHandler((error, request, reply) => {
      const appError = httpToAppError(error);
      logServerError(request.log, appError);
      return reply.code(errorCodes[appError.code].status).send({ error: errorShape(appError) });
    });
    scope.all<TrpcRoute>("/api/trpc/:path", (req, res) => {
      // tRPC makes a `Request` of it, which cannot have this method.
      if (req.method === "TRACE")
        throw new AppError("method_not_allowed", "Here, only GET and POST can be used.");
      refuseLargeBatch(req.params.path);
      const onError = (error: TRPCError) => logServerError(req.log, toAppErrorOrInternal(error));
      const call = readSingleCall(req);
      if (call) return answerSingleCall(req, res, { call, createContext, onError, headersFor });
      const subscription = readSubscription(req);
      if (subscription) return answerSubscription(req, res, { call: subscription, createContext, onError });
      return fastifyRequestHandler<AppRouter, typeof req, typeof res>({
        req,
        res,
        path: req.params.path,
        router: appRouter,
        // A query with an input that is too long for a URL comes by POST.
        allowMethodOverride: true,
        createContext: () => createContext(req),
        onError: ({ error }) => onError(error),
        responseMeta: ({ errors }) => ({ headers: headersFor(errors) }),
      });
    });
  });
}

function refuseLargeBatch(path: string): void {
  const size = path.split(",").length;
  if (size <= maxBatchSize) return;
  throw new AppError(
    "invalid_request",
    `A batch may have ${maxBatchSize} calls and this one has ${size}; send the others in another request.`,
  );
}

function headersFor(errors: TRPCError[]): Record<string, string> {
  const waits = errors.flatMap((error) => toAppErrorOrInternal(error).retryAfterSeconds ?? []);
  return waits.length > 0 ? { "retry-after": String(Math.max(...waits)) } : {};
}

const errorShape = (appError: AppError) =>
  getTRPCErrorShape({
    config: appRouter._def._config,
    error: toTrpcError(appError),
    type: "unknown",
    path: undefined,
    input: undefined,
    ctx: undefined,
  });
