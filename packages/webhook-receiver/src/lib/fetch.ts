import { answer, type Endpoint } from "./answer.ts";
import type { WebhookRequest } from "./captured-request.ts";
import type { PlatformResponse } from "./platform.ts";

/** Keeps a runtime alive until the work is done; many edge runtimes stop at the answer otherwise. */
export type WaitUntil = (work: Promise<void>) => void;

export async function respond(
  endpoint: Endpoint,
  request: () => Promise<WebhookRequest>,
  waitUntil?: WaitUntil,
): Promise<PlatformResponse> {
  const { status, body, afterwards } = await answer(endpoint, request);
  if (afterwards) {
    // A turn of the event loop later, so that a busy handler does not hold the answer back.
    const work = new Promise((resolve) => setTimeout(resolve)).then(afterwards);
    waitUntil?.(work);
  }
  return new Response(body, { status, headers: { "content-type": "application/json" } });
}
