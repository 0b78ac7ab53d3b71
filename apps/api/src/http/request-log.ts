import { type FastifyReply, type FastifyRequest, LogController } from "fastify";

/** What the line of a request says about it. */
type LoggedRequest = Pick<FastifyRequest, "id" | "method" | "url" | "ip">;

/** Requests of probes and scrapes: they come every few seconds and tell nothing. */
export const probeRoutes: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** Logs one line for each request, when its answer has ended, in place of Fastify's two. Probes are for debugging. */
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
