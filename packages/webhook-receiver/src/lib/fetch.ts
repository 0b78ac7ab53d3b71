import { answer, type Endpoint } from "./answer.ts";
import type { WebhookRequest } from "./captured-request.ts";
import type { PlatformResponse } from "./platform.ts";

/** Keeps a runtime alive until the work is done. Without it, many edge runtimes stop after the response. */
export type WaitUntil = (work: Promise<void>) => void;

export async function respond(
  endpoint: Endpoint,
  request: () => Promise<WebhookRequest>,
  waitUntil?: WaitUntil,
): Promise<PlatformResponse> {
  const { status, body, afterwards } = await answer(endpoint, request);
  if (afterwards) {
    // In the next turn of the event loop, so that a handler that blocks does not delay the response.
    const work = new Promise((resolve) => setTimeout(resolve)).then(afterwards);
    waitUntil?.(work);
  }
  return new Response(body, { status, headers: { "content-type": "application/json" } });
}
