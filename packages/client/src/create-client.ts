import { createTRPCClient, httpBatchLink, splitLink, type TRPCClient } from "@trpc/client";
import { addressOf, type ClientOptions, callHeadersOf, headersOf } from "./client-options.ts";
import { forwardOnlyLink } from "./forward-only-link.ts";
import type { AppRouter } from "./router.ts";
import { subscriptionLink } from "./subscription-link.ts";

export type Client = TRPCClient<AppRouter>;

// The server rejects larger batches and longer paths.
const maxBatchSize = 5;
const maxUrlLength = 2000;

/** A client with a method for every procedure: `await client.keys.describe.query()`. */
export function createClient(options: ClientOptions): Client {
  const headers = headersOf(options);
  const url = addressOf(options, "/api/trpc");
  return createTRPCClient<AppRouter>({
    links: [
      forwardOnlyLink,
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: subscriptionLink({ url, headers }),
        false: httpBatchLink({
          url,
          headers: () => callHeadersOf(options),
          maxItems: maxBatchSize,
          maxURLLength: maxUrlLength,
        }),
      }),
    ],
  });
}
