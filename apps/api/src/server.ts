import type { Deps } from "@querybell/core";
import { asService } from "@querybell/core/access";
import { resolveSession } from "@querybell/core/identity";
import { createKeyVerifier } from "@querybell/core/keys";
import { createRateLimiter, createSharedBuckets } from "@querybell/core/limits";
import { AppError, FairSlots, newId } from "@querybell/domain";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { ApiSettings } from "./env.ts";
import { addAuditRoutes } from "./http/audit-routes.ts";
import { addAuthRoutes } from "./http/auth-routes.ts";
import { authenticate, cookieSetter, namedOrganization, toFetchHeaders } from "./http/authenticate.ts";
import {
  addBodyTimeout,
  addGracefulClose,
  defaultTimeouts,
  type ServerTimeouts,
  timeoutOptions,
} from "./http/connections.ts";
import { addExportRoute } from "./http/export-route.ts";
import { addOauthRoutes } from "./http/oauth-routes.ts";
import { addOidcRoutes } from "./http/oidc-routes.ts";
import { addPictureRoutes } from "./http/picture-routes.ts";
import { answerUnreadable, httpToAppError, logServerError, sendProblem } from "./http/problem.ts";
import { addJsonParser, maxBodyBytes } from "./http/request-body.ts";
import { addRequestRights, seeing, useRights } from "./http/request-rights.ts";
import { addRequestSpans, RequestLog } from "./http/request-telemetry.ts";
import { addResultRoutes } from "./http/result-routes.ts";
import { addScimRoutes } from "./http/scim-routes.ts";
import { addSecurityHeaders } from "./http/security-headers.ts";
import { addHealth, addMetrics } from "./http/status-routes.ts";
import { addUploadRoute } from "./http/upload-route.ts";
import { addWebApp } from "./http/web-app.ts";
import { addMcpRoute } from "./mcp/mcp-route.ts";
import { addRestDocumentation } from "./rest/documentation.ts";
import { addRestRoutes } from "./rest/serve-routes.ts";
import type { CreateContext } from "./trpc/context.ts";
import { createCaller } from "./trpc/router.ts";
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

// One organization's requests never hold all database connections (ten by default): its further requests wait in its
// queue, and other organizations' requests pass them. An organization with more than 20 requests a second
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
  const onError = (error: unknown) =>
    app.log.error(error, "could not count calls together with other processes");
  const perMinute = settings.RATE_LIMIT_PER_MINUTE;
  const limiter = createRateLimiter({ deps, name: "calls", perMinute, onError });
  const { floodLimit } = requestLimits;
  const requests = createSharedBuckets({
    deps,
    name: "requests",
    size: floodLimit.requestsPerSecond,
    perMinute: floodLimit.requestsPerSecond * 60,
    onError,
  });
  const requestSlots = new FairSlots({
    ...requestLimits,
    floodLimit: { ...floodLimit, count: requests.count, isFlood: (id) => requests.left(id) < 0 },
  });
  const subscriptions = createSubscriptions({
    deps,
    maxPerSubscriber: settings.MAX_SUBSCRIPTIONS,
    onError: (error) => app.log.error(error, "could not check the access of open subscriptions"),
  });
  const closing = new AbortController();
  const { registry, observeCall } = addMetrics(app, { deps, settings });
  const parts = { deps, limiter, requestSlots, subscriptions, observeCall, closing: closing.signal };
  const createContext: CreateContext = async (request, reply) => {
    const identity = await asService(async () =>
      seeing(deps, await authenticate({ deps, keys }, request, reply)),
    );
    await useRights(deps, identity.caller);
    return {
      ...parts,
      address: request.ip,
      namedOrganizationId: namedOrganization(request),
      ...identity,
    };
  };
  // A link on any site may open a page, and only the page itself reads the answer, so the origin is not checked.
  const createPageContext: CreateContext = async (request, reply) => {
    const setCookies = cookieSetter(reply);
    const identity = await asService(async () =>
      seeing(deps, (await resolveSession(deps, toFetchHeaders(request), setCookies)) ?? {}),
    );
    await useRights(deps, identity.caller);
    return { ...parts, address: request.ip, ...identity };
  };

  // Before Fastify waits for the requests in flight: a subscription ends only when this signal aborts.
  app.addHook("preClose", async () => closing.abort());
  app.addHook("onClose", () => keys.close());
  app.addHook("onClose", async () => {
    await Promise.all([subscriptions.close(), limiter.close(), requests.close()]);
  });
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  addRequestRights(app);
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
  addOidcRoutes(app, deps, limiter);
  await addOauthRoutes(app, deps, limiter);
  await addScimRoutes(app, deps, limiter);
  // The organization, user and scopes of the API key.
  app.get("/api/key", async (request) => createCaller(await createContext(request)).keys.describe());
  addResultRoutes(app, createContext);
  addAuditRoutes(app, createContext);
  addExportRoute(app, createContext);
  addPictureRoutes(app, createContext);
  await addUploadRoute(app, createContext);
  addHealth(app, deps, stopping);
  addRestDocumentation(app);
  await addRestRoutes(app, { ...parts, keys, registry });
  await addMcpRoute(app, { ...parts, keys, webFolder: settings.WEB_FOLDER });
  await addWebApp(app, createPageContext, settings.WEB_FOLDER);
  return app;
}

const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\//i;
/** A path that cannot be decoded, so the router rejects the request. */
const invalidPath = "/%";

/**
 * The path and query of a request's target. Clients send an absolute target (`GET http://host/path`) to proxies,
 * and servers must accept one too (RFC 9112, 3.2.2). Hooks and routes see only the path and query.
 */
function toOriginForm(target: string | undefined): string {
  if (target?.startsWith("/") || target === "*") return target;
  if (target === undefined || !absoluteForm.test(target)) return invalidPath;
  const { pathname, search } = URL.parse(target) ?? { pathname: invalidPath, search: "" };
  // URLs with other schemes than http can have an empty path.
  return `${pathname === "" ? "/" : pathname}${search}`;
}
