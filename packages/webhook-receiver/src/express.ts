import type { IncomingMessage, ServerResponse } from "node:http";
import { answer, type WebhookOptions } from "./lib/answer.ts";
import type { DeliveryHandler } from "./lib/dedupe.ts";
import { captureNode, sendAnswer } from "./lib/node-http.ts";
import type { Receiver } from "./lib/receiver.ts";

export type { WebhookOptions } from "./lib/answer.ts";

/**
 * A handler for one Express route. Mount it before `express.json()`, or keep the raw body there with
 * `express.json({ verify: keepRawBody })`. A handler that throws goes to Express's own error handling.
 */
export function webhook(
  receiver: Receiver,
  handler: DeliveryHandler,
  options: WebhookOptions = {},
): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const capture = () => captureNode(request, receiver.maxBodyBytes);
      sendAnswer(response, await answer({ receiver, handler, options }, capture));
    } catch (error) {
      next(error);
    }
  };
}

/** For `express.json({ verify: keepRawBody })`: keeps the bytes beside what is parsed from them. */
export function keepRawBody(
  request: IncomingMessage & { rawBody?: unknown },
  _response: unknown,
  bytes: Uint8Array,
): void {
  request.rawBody = bytes;
}
