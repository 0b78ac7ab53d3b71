import { createKeyVerifier, type Deps, openNotificationFeed } from "@querybell/core";
import { AppError, newId } from "@querybell/domain";
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
} from "fastify";

import type { ApiSettings } from "./env.ts";
import { addAuthRoutes } from "./http/auth-routes.ts";
import { authenticate } from "./http/authenticate.ts";
import { addHealth } from "./http/health.ts";
import { addKeyRoute } from "./http/key-route.ts";
import { addMetrics } from "./http/metrics.ts";
import { sendProblem } from "./http/problem.ts";
import { createRateLimiter } from "./http/rate-limiter.ts";
import { addSecurityHeaders } from "./http/security-headers.ts";
import { addWebApp } from "./http/web-app.ts";
import type { Context } from "./trpc/context.ts";
import { refusalFor } from "./trpc/error-shape.ts";
import { type AppRouter, appRouter } from "./trpc/router.ts";

interface ServerOptions {
  deps: Deps;
  logger: FastifyBaseLogger;
  settings: Pick<
    ApiSettings,
    "METRICS_TOKEN" | "NODE_ENV" | "RATE_LIMIT_PER_MINUTE" | "TRUSTED_PROXIES" | "WEB_FOLDER"
  >;
}

export type CreateContext = (request: FastifyRequest) => Promise<Context>;

const maxBodyBytes = 1024 * 1024;

/** The whole HTTP face, ready to listen. Closing it finishes the requests in flight. */
export async function createServer({ deps, logger, settings }: ServerOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    genReqId: () => newId(deps.clock),
    bodyLimit: maxBodyBytes,
    trustProxy: settings.TRUSTED_PROXIES ?? false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 2000 },
  });
  const keys = createKeyVerifier({ ...deps, onError: (error) => app.log.error(error) });
  const limiter = createRateLimiter({ clock: deps.clock, perMinute: settings.RATE_LIMIT_PER_MINUTE });
  const feed = openNotificationFeed(deps, (error) => app.log.error(error));
  const closing = new AbortController();
  const createContext: CreateContext = async (request) => ({
    deps,
    limiter,
    feed,
    closing: closing.signal,
    address: request.ip,
    ...(await authenticate({ deps, keys }, request)),
  });

  // Before the requests in flight are waited for: a subscription ends only when it is told to.
  app.addHook("preClose", async () => closing.abort());
  app.addHook("onClose", async () => {
    feed.close();
    await keys.close();
  });
  app.addHook("onRequest", async (request, reply) => void reply.header("x-request-id", request.id));
  addSecurityHeaders(app, deps.deployment);
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalForHttp(error);
    if (refusal.code === "internal") request.log.error(error);
    return sendProblem(reply, refusal);
  });

  await app.register(fastifyTRPCPlugin, {
    prefix: "/api/trpc",
    trpcOptions: {
      router: appRouter,
      createContext: ({ req }) => createContext(req),
      maxBatchSize: 20,
      onError: ({ error, req }) => {
        if (refusalFor(error).code === "internal") req.log.error(error.cause ?? error);
      },
      responseMeta: ({ errors }) => {
        const waits = errors.flatMap((error) => refusalFor(error).retryAfterSeconds ?? []);
        return waits.length > 0 ? { headers: { "retry-after": String(Math.max(...waits)) } } : {};
      },
    },
  } satisfies FastifyTRPCPluginOptions<AppRouter>);
  addAuthRoutes(app, deps);
  addKeyRoute(app, createContext);
  addHealth(app, deps);
  addMetrics(app, { deps, settings });
  await addWebApp(app, settings.WEB_FOLDER);
  return app;
}

/** Fastify's own refusals (a body too large, JSON that is none) in our words; the rest as everywhere. */
function refusalForHttp(error: unknown): AppError {
  const { statusCode, code } = error as Partial<FastifyError>;
  if (statusCode === 413)
    return new AppError("payload_too_large", "A request's body may have at most 1 MiB.");
  if (statusCode === 415) return new AppError("unsupported_media_type", "Send the body as application/json.");
  if (statusCode === 400 && code?.startsWith("FST_")) {
    return new AppError("invalid_request", "The body is not valid JSON.", { cause: error });
  }
  return refusalFor(error);
}
