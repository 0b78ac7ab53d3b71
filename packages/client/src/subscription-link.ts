import { httpSubscriptionLink, type TRPCLink } from "@trpc/client";
import { EventSource, type FetchLike } from "eventsource";
import type { AppRouter } from "./router.ts";

interface SubscriptionOptions {
  url: string;
  headers: Record<string, string>;
}

/**
 * Subscriptions over server-sent events. A browser's own EventSource serves where it can; it cannot send
 * headers, and Node has none, so there the same protocol is spoken over `fetch`.
 */
export function subscriptionLink({ url, headers }: SubscriptionOptions): TRPCLink<AppRouter> {
  const needsHeaders = Object.keys(headers).length > 0;
  if (!needsHeaders && "EventSource" in globalThis) return httpSubscriptionLink({ url });
  const fetchEvents: FetchLike = async (input, init) => {
    const answer = await fetch(input, { ...init, headers: { ...init.headers, ...headers } });
    return answer.ok ? answer : ((await asErrorEvent(answer.clone())) ?? answer);
  };
  return httpSubscriptionLink({ url, EventSource, eventSourceOptions: { fetch: fetchEvents } });
}

/** A refusal given before the stream began, as the event with which tRPC reports one inside a stream. */
async function asErrorEvent(answer: Response): Promise<Response | undefined> {
  const body: unknown = await answer.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined;
  return new Response(`event: serialized-error\ndata: ${JSON.stringify(body.error)}\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}
