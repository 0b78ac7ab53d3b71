import type { IncomingMessage, ServerResponse } from "node:http";
import { endpointOf, reportFailure, toAnswer, type WebhookOptions } from "./lib/answer.ts";
import type { DeliveryHandler } from "./lib/dedupe.ts";
import { answerUntilClosed, captureNode, sendAnswer } from "./lib/node-http.ts";
import type { Receiver } from "./lib/receiver.ts";

export * from "./index.node.ts";
export type { WebhookOptions } from "./lib/answer.ts";

/** A listener for `node:http` and everything built on it. If the handler throws, it answers 500. */
export function webhook(
  receiver: Receiver,
  handler: DeliveryHandler,
  options: WebhookOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const endpoint = endpointOf(receiver, handler, options);
  return async (request, response) => {
    const capture = () => captureNode(request, receiver.maxBodyBytes);
    const answered = answerUntilClosed(response, endpoint, capture);
    sendAnswer(
      response,
      await answered.catch((error) => {
        reportFailure(options, error);
        return toAnswer(500, "handler_failed");
      }),
    );
  };
}
