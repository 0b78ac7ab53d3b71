import type { FastifyInstance } from "fastify";

/** While the server closes, every answer ends its connection: kept alive, it would hold up the end by a minute. */
export function addGracefulClose(app: FastifyInstance): void {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onSend", async (_request, reply) => {
    if (closing) reply.header("connection", "close");
  });
}
