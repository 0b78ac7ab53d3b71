import { endpointOf, type WebhookOptions } from "./lib/answer.ts";
import { bodyNotRaw, type FetchRequest } from "./lib/captured-request.ts";
import type { DeliveryHandler } from "./lib/dedupe.ts";
import { respond, type WaitUntil } from "./lib/fetch.ts";
import type { PlatformResponse } from "./lib/platform.ts";
import type { Receiver } from "./lib/receiver.ts";

export type { WebhookOptions } from "./lib/answer.ts";

/** The part of a Hono context that the adapter uses. */
export interface HonoContext {
  req: { raw: FetchRequest; arrayBuffer(): Promise<ArrayBuffer> };
  readonly executionCtx: { waitUntil: WaitUntil };
}

/** A handler for one Hono route. Errors of the handler go to `app.onError`. */
export function webhook(
  receiver: Receiver,
  handler: DeliveryHandler,
  options: WebhookOptions = {},
): (context: HonoContext) => Promise<PlatformResponse> {
  const endpoint = endpointOf(receiver, handler, options);
  return (context) => {
    const { req } = context;
    const capture = async () => {
      if (!req.raw.bodyUsed) return req.raw;
      // If a middleware has read the body through Hono, Hono has cached it.
      const body = await req.arrayBuffer().catch(() => {
        throw bodyNotRaw(
          "Let middleware read the body through context.req, which keeps it, not context.req.raw.",
        );
      });
      return { headers: req.raw.headers, body };
    };
    return respond(endpoint, capture, waitUntilOf(context));
  };
}

// Outside an edge runtime, Hono throws instead of returning undefined.
function waitUntilOf(context: HonoContext): WaitUntil | undefined {
  try {
    const { executionCtx } = context;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return undefined;
  }
}
