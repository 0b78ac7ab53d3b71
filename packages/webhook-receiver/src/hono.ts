import type { WebhookOptions } from "./lib/answer.ts";
import type { FetchRequest } from "./lib/captured-request.ts";
import type { DeliveryHandler } from "./lib/dedupe.ts";
import { respond, type WaitUntil } from "./lib/fetch.ts";
import type { Receiver } from "./lib/receiver.ts";

export type { WebhookOptions } from "./lib/answer.ts";

/** As much of a Hono context as is needed. */
export interface HonoContext {
  req: { raw: FetchRequest; arrayBuffer(): Promise<ArrayBuffer> };
  readonly executionCtx: { waitUntil: WaitUntil };
}

/** A handler for one Hono route. A handler that throws goes to `app.onError`. */
export function webhook(
  receiver: Receiver,
  handler: DeliveryHandler,
  options: WebhookOptions = {},
): (context: HonoContext) => Promise<Response> {
  return async (context) => {
    const { raw } = context.req;
    // What a middleware has read before, Hono keeps.
    const request = raw.bodyUsed ? { headers: raw.headers, body: await context.req.arrayBuffer() } : raw;
    return respond({ receiver, handler, options }, request, waitUntilOf(context));
  };
}

// Outside an edge runtime Hono throws instead of answering undefined.
function waitUntilOf(context: HonoContext): WaitUntil | undefined {
  try {
    const { executionCtx } = context;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return undefined;
  }
}
