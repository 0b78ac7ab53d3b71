import type { FastifyReply } from "fastify";

/** Aborted when the client leaves before it has the answer. */
export function abortedWhenClosed({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
