import { answer, type WebhookOptions } from "./lib/answer.ts";
import type { DeliveryHandler } from "./lib/dedupe.ts";
import type { WebhookHeaders } from "./lib/headers.ts";
import type { Receiver } from "./lib/receiver.ts";

export type { WebhookOptions } from "./lib/answer.ts";

/** As much of a Fastify instance as is needed. */
export interface FastifyScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

interface FastifyRequest {
  headers: WebhookHeaders;
  body: unknown;
}

interface FastifyReply {
  raw: { once(event: "close", listener: () => void): unknown };
  code(status: number): unknown;
  type(contentType: string): unknown;
  send(body: string): unknown;
}

/**
 * A plugin: `app.register(webhook(receiver, handler), { prefix: "/webhooks" })`. Fastify keeps its body
 * parser to itself, so other routes parse as before. A handler that throws goes to Fastify's error handling.
 */
export function webhook(
  receiver: Receiver,
  handler: DeliveryHandler,
  options: WebhookOptions = {},
): (scope: FastifyScope) => Promise<void> {
  return async (scope) => {
    const { maxBodyBytes: bodyLimit } = receiver;
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit }, (_, bytes, done) => done(null, bytes));
    scope.post("/", async ({ headers, body }, reply) => {
      // Fastify parses nothing, and leaves no body, when there is none.
      const bytes = body instanceof Uint8Array ? body : new Uint8Array();
      const capture = async () => ({ headers, body: bytes });
      const { status, body: text, afterwards } = await answer({ receiver, handler, options }, capture);
      if (afterwards) reply.raw.once("close", afterwards);
      reply.code(status);
      reply.type("application/json");
      return reply.send(text);
    });
  };
}
