import type { FastifyInstance } from "fastify";

/**
 * Ends a request whose body does not arrive in time, as Node does. Node has one limit for all requests, and uploads need a
 * longer one.
 */
export function addBodyTimeout(app: FastifyInstance, requestMs: number): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (!request.routeOptions.config.receivesFile) {
      const { raw } = request;
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
