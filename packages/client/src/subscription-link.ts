import { httpSubscriptionLink, type TRPCLink } from "@trpc/client";
import { EventSource, type FetchLike } from "eventsource";
import type { AppRouter } from "./router.ts";

interface SubscriptionOptions {
  url: string;
  headers: Record<string, string>;
}

/**
 * Subscriptions over server-sent events. Uses the browser's EventSource if no headers are needed: it cannot send
 * any. Otherwise, and in Node, it uses an EventSource over `fetch`.
 */
export function subscriptionLink({ url, headers }: SubscriptionOptions): TRPCLink<AppRouter> {
  const needsHeaders = Object.keys(headers).length > 0;
  if (!needsHeaders && "EventSource" in globalThis) return httpSubscriptionLink({ url });
  const fetchEvents: FetchLike = (input, init) =>
    fetch(input, { ...init, headers: { ...init.headers, ...headers } });
  return httpSubscriptionLink({ url, EventSource, eventSourceOptions: { fetch: fetchEvents } });
}
