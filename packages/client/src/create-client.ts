import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCClient } from "@trpc/client";
import { addressOf, type ClientOptions, callHeadersOf, headersOf } from "./client-options.ts";
import { forwardOnlyLink } from "./forward-only-link.ts";
import type { AppRouter } from "./router.ts";
import { subscriptionLink } from "./subscription-link.ts";

export type Client = TRPCClient<AppRouter>;

// The server rejects larger batches. Many proxies reject URLs of more than 8 KiB.
const maxBatchSize = 5;
const maxUrlLength = 8_000;
/** In the URL. A query with a longer input is sent by POST. */
const maxInputLength = 6_000;

/** A client with a method for every procedure: `await client.keys.describe.query()`. */
export function createClient(options: ClientOptions): Client {
  const headers = headersOf(options);
  const callHeaders = () => callHeadersOf(options);
  const url = addressOf(options, "/api/trpc");
  return createTRPCClient<AppRouter>({
    links: [
      forwardOnlyLink,
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
