import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
  type TRPCLink,
} from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { EventSource, type FetchLike } from "eventsource";
import { toApiError } from "./api-error.ts";
import { addressOf, type ClientOptions, callHeadersOf, headersOf } from "./client-options.ts";
import type { AppRouter } from "./router.ts";

export type Client = TRPCClient<AppRouter>;

// The server rejects larger batches. Many proxies reject URLs of more than 8 KiB.
const maxBatchSize = 5;
const maxUrlLength = 8_000;
/** The maximum length of an input in the URL. A query with a longer input is sent by POST. */
const maxInputLength = 6_000;

/** A client with a method for every procedure: `await client.keys.describe.query()`. */
export function createClient(options: ClientOptions): Client {
  const headers = headersOf(options);
  const callHeaders = () => callHeadersOf(options);
  const url = addressOf(options, "/api/trpc");
  return createTRPCClient<AppRouter>({
    links: [
      forwardOnlyLink,
      ...(options.confirm ? [confirmLink(options.confirm)] : []),
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: subscriptionLink({ url, headers }),
        false: splitLink({
          condition: ({ type, input }) =>
            type === "query" && encodeURIComponent(JSON.stringify(input)).length > maxInputLength,
          true: httpLink({ url, headers: callHeaders, methodOverride: "POST" }),
          false: httpBatchLink({
            url,
            headers: callHeaders,
            maxItems: maxBatchSize,
            maxURLLength: maxUrlLength,
          }),
        }),
      }),
    ],
  });
}

/**
 * Removes `direction`, which TanStack Query's infinite queries add to the input. Our lists page forward only, and
 * the server rejects unknown fields.
 */
const forwardOnlyLink: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => next({ ...op, input: withoutDirection(op.input) }).subscribe(observer));

/** Sends a call once more after it was confirmed. */
const confirmLink =
  (confirm: () => Promise<boolean>): TRPCLink<AppRouter> =>
  () =>
  ({ next, op }) =>
    observable((observer) => {
      let sent = { unsubscribe: () => {} };
      const send = (isRepeated: boolean) => {
        sent = next(op).subscribe({
          ...observer,
          error(error) {
            const isAsked = toApiError(error)?.reason === "confirmation_required";
            if (!isAsked || isRepeated) return observer.error(error);
            confirm().then(
              (isConfirmed) => (isConfirmed ? send(true) : observer.error(error)),
              () => observer.error(error),
            );
          },
        });
      };
      send(false);
      return () => sent.unsubscribe();
    });

function withoutDirection(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !("direction" in input)) return input;
  const { direction: _, ...rest } = input;
  return rest;
}

interface SubscriptionOptions {
  url: string;
  headers: Record<string, string>;
}

/**
 * Subscriptions over server-sent events. Uses the browser's EventSource if no headers are needed: it cannot send
 * any. Otherwise, and in Node, it uses an EventSource over `fetch`.
 */
function subscriptionLink({ url, headers }: SubscriptionOptions): TRPCLink<AppRouter> {
  const needsHeaders = Object.keys(headers).length > 0;
  if (!needsHeaders && "EventSource" in globalThis) return httpSubscriptionLink({ url });
  const fetchEvents: FetchLike = (input, init) =>
    fetch(input, { ...init, headers: { ...init.headers, ...headers } });
  return httpSubscriptionLink({ url, EventSource, eventSourceOptions: { fetch: fetchEvents } });
}
