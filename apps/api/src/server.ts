import type { Deps } from "@querybell/core";
import { resolveSession } from "@querybell/core/identity";
import { createKeyVerifier } from "@querybell/core/keys";
import { AppError, FairSlots, newId } from "@querybell/domain";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { ApiSettings } from "./env.ts";
import { addAuthRoutes } from "./http/auth-routes.ts";
import { authenticate, cookieSetter, namedOrganization } from "./http/authenticate.ts";
import { addBodyTimeout } from "./http/body-timeout.ts";
import { toFetchHeaders } from "./http/fetch-headers.ts";
import { addGracefulClose } from "./http/graceful-close.ts";
import { addHealth } from "./http/health.ts";
import { httpToAppError, logServerError } from "./http/http-error.ts";
import { addJsonParser } from "./http/json-parser.ts";
import { addKeyRoute } from "./http/key-route.ts";
import { addMetrics } from "./http/metrics.ts";
import { toOriginForm } from "./http/origin-form.ts";
import { sendProblem } from "./http/problem.ts";
import { createRateLimiter } from "./http/rate-limiter.ts";
import { maxBodyBytes } from "./http/request-body.ts";
import { RequestLog } from "./http/request-log.ts";
import { addRequestSpans } from "./http/request-spans.ts";
import { addResultRoutes } from "./http/result-routes.ts";
import { addSecurityHeaders } from "./http/security-headers.ts";
import { defaultTimeouts, type ServerTimeouts, timeoutOptions } from "./http/server-timeouts.ts";
import { answerUnreadable } from "./http/unreadable-request.ts";
import { addUploadRoute } from "./http/upload-route.ts";
import { addWebApp } from "./http/web-app.ts";
import { addRestDocumentation } from "./rest/documentation.ts";
import { addRestRoutes } from "./rest/rest-routes.ts";
import type { CreateContext } from "./trpc/context.ts";
import { createSubscriptions } from "./trpc/subscriptions.ts";
import { addTrpcRoutes } from "./trpc/trpc-routes.ts";

interface ServerOptions {
  deps: Deps;
  logger: FastifyBaseLogger;
  settings: Pick<
    ApiSettings,
    | "MAX_SUBSCRIPTIONS"
    | "METRICS_TOKEN"
    | "NODE_ENV"
    | "RATE_LIMIT_PER_MINUTE"
    | "TRUSTED_PROXIES"
    | "WEB_FOLDER"
  >;
  timeouts?: ServerTimeouts | undefined;
  /** Aborted a while before the server closes: it still answers, and is not ready any more. */
  stopping?: AbortSignal;
}

// One organization's requests never hold all database connections (ten by default): its further requests wait in a
// queue of its own, and other organizations' requests pass them. An organization with more than 20 requests a second
// gets two slots while others send requests too.
const requestLimits = {
  size: 64,
  maxPerOrganization: 6,
  floodLimit: { slots: 2, requestsPerSecond: 20 },
  maxWaitingPerOrganization: 200,
  maxWaiting: 2_000,
  waitMs: 30_000,
};

/** Creates the HTTP server, ready to listen. Closing it waits for the requests in flight. */
export async function createServer({
  deps,
  logger,
  settings,
  timeouts = defaultTimeouts,
  stopping = new AbortController().signal,
}: ServerOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    logController: new RequestLog(),
    genReqId: () => newId(deps.clock),
    bodyLimit: maxBodyBytes,
    ...timeoutOptions(timeouts),
    rewriteUrl: ({ url }) => toOriginForm(url),
    trustProxy: settings.TRUSTED_PROXIES ?? false,
    forceCloseConnections: "idle",
    // While the server closes, requests on open connections still get a normal response.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2000 },
    // Fastify rejects a URL that cannot be decoded before any route runs.
    frameworkErrors: (_error, _request, reply) =>
      void sendProblem(reply, new AppError("invalid_request", "This address cannot be read.")),
    clientErrorHandler: answerUnreadable,
  });
  // Node would answer an unknown `Expect` itself, with 417 and without a body. HTTP allows to ignore it.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  const keys = createKeyVerifier({ ...deps, onError: (error) => app.log.error(error) });
  const limiter = createRateLimiter({ clock: deps.clock, perMinute: settings.RATE_LIMIT_PER_MINUTE });
  const requestSlots = new FairSlots(requestLimits);
  const subscriptions = createSubscriptions({
    deps,
    maxPerSubscriber: settings.MAX_SUBSCRIPTIONS,
    onError: (error) => app.log.error(error, "could not check the access of open subscriptions"),
  });
  const closing = new AbortController();
  const { registry, observeCall } = addMetrics(app, { deps, settings });
  const parts = { deps, limiter, requestSlots, subscriptions, observeCall, closing: closing.signal };
  const createContext: CreateContext = async (request, reply) => ({
    ...parts,
    address: request.ip,
    namedOrganizationId: namedOrganization(request),
    ...(await authenticate({ deps, keys }, request, reply)),
  });
  // A link on any site may open a page, and only the page itself reads the answer, so the origin is not checked.
  const createPageContext: CreateContext = async (request, reply) => ({
    ...parts,
    address: request.ip,
    ...(await resolveSession(deps, toFetchHeaders(request), cookieSetter(reply))),
  });

  // Before Fastify waits for the requests in flight: a subscription ends only when this signal aborts.
  app.addHook("preClose", async () => closing.abort());
  app.addHook("onClose", () => keys.close());
  app.addHook("onClose", async () => subscriptions.close());
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  addRequestSpans(app);
  addBodyTimeout(app, timeouts.requestMs);
  addGracefulClose(app, stopping);
  addJsonParser(app);
  addSecurityHeaders(app, deps.deployment);
  app.setErrorHandler((error, request, reply) => {
    const appError = httpToAppError(error);
    logServerError(request.log, appError);
    return sendProblem(reply, appError);
  });

  await addTrpcRoutes(app, createContext);
  addAuthRoutes(app, deps, limiter);
  addKeyRoute(app, createContext);
  addResultRoutes(app, createContext);
  await addUploadRoute(app, createContext);
  addHealth(app, deps, stopping);
  addRestDocumentation(app);
  await addRestRoutes(app, { ...parts, keys, registry });
  await addWebApp(app, createPageContext, settings.WEB_FOLDER);
  return app;
}
