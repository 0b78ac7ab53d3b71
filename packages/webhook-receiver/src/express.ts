import type { IncomingMessage, ServerResponse } from "node:http";
import { endpointOf, type WebhookOptions } from "./lib/answer.ts";
import type { DeliveryHandler } from "./lib/dedupe.ts";
import { answerUntilClosed, captureNode, sendAnswer } from "./lib/node-http.ts";
import type { Receiver } from "./lib/receiver.ts";

export type { WebhookOptions } from "./lib/answer.ts";

/** The part of an Express handler that the adapter uses. */
export type ExpressHandler<Request extends IncomingMessage, Response> = (
  request: Request,
  response: Response,
  next: (error?: unknown) => void,
) => unknown;

/**
 * A handler for one Express route. Mount it before `express.json()`, or exclude it from `express.json()` with
 * `keepRawBody`. Errors of the handler go to Express's error handling.
 */
export function webhook(
  receiver: Receiver,
  handler: DeliveryHandler,
  options: WebhookOptions = {},
): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => Promise<void> {
  const endpoint = endpointOf(receiver, handler, options);
  return async (request, response, next) => {
    try {
      const capture = () => captureNode(request, receiver.maxBodyBytes);
      sendAnswer(response, await answerUntilClosed(response, endpoint, capture));
    } catch (error) {
      next(error);
    }
  };
}

/**
 * For parsers that must come before the webhook: `app.use(keepRawBody("/webhooks", express.json()))` parses
 * everything but what is sent to this path or below it.
 */
export function keepRawBody<Request extends IncomingMessage & { originalUrl: string }, Response>(
  path: string,
  parser: ExpressHandler<Request, Response>,
): ExpressHandler<Request, Response> {
  // As Express matches by default: in any case, with or without a slash at the end.
  const within = `${path.toLowerCase().replace(/\/$/, "")}/`;
  return (request, response, next) => {
    const requested = pathOf(request.originalUrl).toLowerCase();
    return `${requested}/`.startsWith(within) ? next() : parser(request, response, next);
  };
}

/** A request's target is a path or, from proxies and some clients, a whole URL. */
const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/?]*/i, "").split("?", 1)[0] || "/";
