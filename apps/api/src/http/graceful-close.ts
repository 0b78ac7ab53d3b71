import type { FastifyInstance } from "fastify";

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
