import { checkHandling, endpointOf, type WebhookOptions } from "./lib/answer.ts";
import type { FetchRequest } from "./lib/captured-request.ts";
import type { DeliveryHandler } from "./lib/dedupe.ts";
import { respond, type WaitUntil } from "./lib/fetch.ts";
import type { PlatformResponse } from "./lib/platform.ts";
import type { Receiver } from "./lib/receiver.ts";

export type { WebhookOptions } from "./lib/answer.ts";
export type { WaitUntil } from "./lib/fetch.ts";

export interface FetchWebhookOptions extends WebhookOptions {
  /** With `before-handler`: keeps the work alive after the response, such as `after` of `next/server`. */
  waitUntil?: WaitUntil;
}

/**
 * A route handler for Next (`export const POST = webhook(…)`) and for everything else that takes a Fetch
 * `Request` and returns a `Response`. Rejects if the handler throws. The receiver can also be a function that
 * creates it: it is called at the first request, because builds load a route without its secrets.
 */
export function webhook(
  receiver: Receiver | (() => Receiver),
  handler: DeliveryHandler,
  options: FetchWebhookOptions = {},
): (request: FetchRequest) => Promise<PlatformResponse> {
  const { waitUntil, ...answering } = options;
  if (waitUntil !== undefined && typeof waitUntil !== "function") {
    throw new TypeError("waitUntil must be a function.");
  }
  checkHandling(handler, answering);
  let endpoint = typeof receiver === "function" ? undefined : endpointOf(receiver, handler, answering);
  return async (request) => {
    endpoint ??= endpointOf(typeof receiver === "function" ? receiver() : receiver, handler, answering);
    return respond(endpoint, async () => request, waitUntil);
  };
}
