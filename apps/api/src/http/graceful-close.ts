import type { FastifyInstance } from "fastify";

/** While the server closes, every response closes its connection. A kept-alive one would delay shutdown by a minute. */
export function addGracefulClose(app: FastifyInstance): void {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (closing) reply.header("connection", "close");
    done(null, payload);
  });
}
