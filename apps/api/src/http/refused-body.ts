import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";

const lingerMs = 2_000;

/**
 * For routes that read the body as a stream: after a refusal the rest of it is read and thrown away, because the client
 * may use the connection again. One that keeps sending for longer than `lingerMs` is cut off.
 */
export function discardRefusedBodies(scope: FastifyInstance): void {
  scope.addHook("onRequest", ({ raw }, reply, done) => {
    // Node takes the socket away from a request whose body is not read to its end.
    const { socket } = raw;
    reply.raw.once("close", () => {
      if (raw.complete) return;
      raw.resume();
      setTimeout(() => raw.complete || socket.destroy(), lingerMs).unref();
    });
    done();
  });
}

/** A body that Fastify passes as a stream. Whoever stops reading does not close the connection, on which the answer is sent. */
export const streamedBody = ({ body }: FastifyRequest): AsyncIterable<Buffer> =>
  (body as Readable | undefined)?.iterator({ destroyOnReturn: false }) ?? (async function* () {})();
