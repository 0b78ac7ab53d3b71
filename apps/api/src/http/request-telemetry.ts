import { runInSpan, type Span, startSpan } from "@querybell/tracing";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify";

/** What the line of a request says about it. */
type LoggedRequest = Pick<FastifyRequest, "id" | "method" | "url" | "ip">;

/** Requests of probes and scrapes, which come every few seconds. */
const probeRoutes: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Logs one line for each request when its answer has ended, instead of Fastify's two. Probes get the level
 * debug.
 */
export class RequestLog extends LogController {
  // Read when the request comes: the address of a client that has left can no longer be read.
  readonly #requests = new WeakMap<FastifyRequest, LoggedRequest>();

  override incomingRequest(request: FastifyRequest): void {
    const { id, method, url, ip } = request;
    this.#requests.set(request, { id, method, url, ip });
  }

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const line = { req: this.#requests.get(request), res: reply, responseTime: reply.elapsedTime };
    if (error) reply.log.error({ ...line, err: error }, "request errored");
    else
      reply.log[probeRoutes.has(request.routeOptions.url ?? "") ? "debug" : "info"](
        line,
        "request completed",
      );
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined while tracing is off. */
    span: Span | undefined;
  }
}

const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * A span for each request, which continues the trace of a caller that sends `traceparent`. It names the route and never
 * the address, whose query string has the input of a call.
 */
export function addRequestSpans(app: FastifyInstance): void {
  app.decorateRequest("span", undefined);
  app.addHook("onRequest", (request, _reply, done) => {
    const { url: route = "unknown" } = request.routeOptions;
    if (!probeRoutes.has(route)) {
      request.span = startSpan({
        name: nameOf(request, route),
        kind: "server",
        parent: parentOf(request),
        attributes: {
          "http.request.method": request.method,
          "http.route": route,
          "querybell.request.id": request.id,
        },
      });
    }
    runInSpan(request.span, done);
  });
  // Reading the body leaves the asynchronous context of the first hook.
  app.addHook("preValidation", (request, _reply, done) => runInSpan(request.span, done));
  app.addHook("onResponse", (request, { statusCode }, done) => {
    const { span } = request;
    if (span) {
      span.setAttributes({ "http.response.status_code": statusCode });
      if (statusCode >= 500) span.fail(String(statusCode));
      span.end();
    }
    done();
  });
}

/** A call of tRPC is named by its procedures. */
function nameOf({ method, params }: FastifyRequest, route: string): string {
  const path: unknown = route.startsWith("/api/trpc/") && Object(params).path;
  return typeof path === "string" && /^[\w.,]{1,200}$/.test(path)
    ? `${method} /api/trpc/${path}`
    : `${method} ${route}`;
}

function parentOf({ headers }: FastifyRequest): string | null {
  const { traceparent: given } = headers;
  return typeof given === "string" && traceparent.test(given) ? given : null;
}
