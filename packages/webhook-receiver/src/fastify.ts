import { Readable } from "node:stream";
import { endpointOf, type WebhookOptions } from "./lib/answer.ts";
import { bodyNotRaw } from "./lib/captured-request.ts";
import type { DeliveryHandler } from "./lib/dedupe.ts";
import { answerUntilClosed, type Closing, rawHeadersOf, readAll, type WithHeaders } from "./lib/node-http.ts";
import type { Receiver } from "./lib/receiver.ts";

export type { WebhookOptions } from "./lib/answer.ts";

/** The part of a Fastify instance that the adapter uses. */
export interface FastifyScope {
  addHook(name: "onRequest", hook: (request: FastifyRequest) => Promise<void>): unknown;
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: Readable) => Promise<Readable>,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

interface FastifyRequest {
  raw: WithHeaders;
  headers: Record<string, unknown>;
  body: unknown;
}

interface FastifyReply {
  raw: Closing;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body: string): unknown;
}

/**
 * A plugin: `app.register(webhook(receiver, handler), { prefix: "/webhooks" })`. Its body parser applies to
 * this plugin only, so other routes parse as before. Errors of the handler go to Fastify's error handling.
 */
export function webhook(
  receiver: Receiver,
  handler: DeliveryHandler,
  options: WebhookOptions = {},
): (scope: FastifyScope) => Promise<void> {
  const endpoint = endpointOf(receiver, handler, options);
  return async (scope) => {
    // Fastify would refuse some content types and sizes with its own errors. So every request gets a type
    // that is accepted, and its parser leaves the body unread for us to read.
    scope.addHook("onRequest", async ({ headers }) => {
      headers["content-type"] = "application/octet-stream";
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", async (_, payload) => payload);
    scope.post("/", async ({ raw, body: payload }, reply) => {
      const capture = async () => {
        if (!(payload instanceof Readable)) throw bodyNotRaw();
        return { headers: rawHeadersOf(raw), body: await readAll(payload, receiver.maxBodyBytes) };
      };
      const { status, body } = await answerUntilClosed(reply.raw, endpoint, capture);
      reply.code(status);
      reply.header("content-type", "application/json");
      if (status === 413) reply.header("connection", "close");
      return reply.send(body);
    });
  };
}
