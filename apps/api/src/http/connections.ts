import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Timeouts for slow and idle clients. */
export interface ServerTimeouts {
  /** The time to send the headers and the body of a request that is not an upload. */
  requestMs: number;
  /** The time to send the headers and the body of an upload. */
  uploadMs: number;
  /**
   * The time without a byte in either direction. Disconnects clients that do not read their response. Must be
   * longer than any procedure takes. Subscriptions send a ping every 15 seconds.
   */
  idleMs: number;
}

export const defaultTimeouts: ServerTimeouts = { requestMs: 60_000, uploadMs: 3_600_000, idleMs: 120_000 };

/** The options for Fastify, which by default has no timeouts. */
export const timeoutOptions = ({ requestMs, uploadMs, idleMs }: ServerTimeouts) => ({
  requestTimeout: uploadMs,
  connectionTimeout: idleMs,
  http: {
    // Node applies the longer of headersTimeout and requestTimeout to the whole request.
    headersTimeout: Math.min(20_000, requestMs),
    // How often Node checks for requests that exceed the timeouts.
    connectionsCheckingInterval: Math.min(5000, requestMs),
    // An idle connection closes this long after the time that its client was told. A client that is late, as on a busy
    // machine, would otherwise send a request into a connection that is being closed, and get no answer.
    keepAliveTimeoutBuffer: 10_000,
  },
});

/**
 * Ends a request whose body does not arrive in time, as Node does. Node has one limit for all requests, and uploads need a
 * longer one.
 */
export function addBodyTimeout(app: FastifyInstance, requestMs: number): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { raw } = request;
    if (hasBody(raw) && !request.routeOptions.config.receivesFile) {
      const timer = setTimeout(() => {
        if (raw.complete) return;
        raw.socket.end("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
        raw.destroy();
      }, requestMs).unref();
      raw.once("close", () => clearTimeout(timer));
    }
    done();
  });
}

/** A request without either of these headers has no body (RFC 9112, 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/**
 * From the moment at which the process stops, every response closes its connection: a proxy opens its next one elsewhere,
 * and a kept-alive one would delay shutdown by a minute.
 */
export function addGracefulClose(app: FastifyInstance, stopping: AbortSignal): void {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (closing || stopping.aborted) reply.header("connection", "close");
    done(null, payload);
  });
}

/** Aborted when the client leaves before it has the answer. */
export function abortedWhenClosed({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
