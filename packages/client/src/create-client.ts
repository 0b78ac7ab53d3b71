import { createTRPCClient, httpBatchLink, splitLink, type TRPCClient } from "@trpc/client";
import { forwardOnlyLink } from "./forward-only-link.ts";
import type { AppRouter } from "./router.ts";
import { subscriptionLink } from "./subscription-link.ts";

export interface ClientOptions {
  /** Where Querybell runs, such as `https://querybell.example.com`. */
  url: string;
  /** An API key (`qb_…`). Omit it in Querybell's own web pages, which use the session cookie. */
  apiKey?: string;
}

export type Client = TRPCClient<AppRouter>;

// The server rejects larger batches and longer paths.
const maxBatchSize = 5;
const maxUrlLength = 2000;

/** A client with a method for every procedure: `await client.keys.describe.query()`. */
export function createClient({ url, apiKey }: ClientOptions): Client {
  if (apiKey === "") throw new Error("apiKey is empty. Give a key that begins with qb_, or leave it out.");
  const trpcUrl = toTrpcUrl(url);
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return createTRPCClient<AppRouter>({
    links: [
      forwardOnlyLink,
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: subscriptionLink({ url: trpcUrl, headers }),
        false: httpBatchLink({
          url: trpcUrl,
          headers,
          maxItems: maxBatchSize,
          maxURLLength: maxUrlLength,
        }),
      }),
    ],
  });
}

function toTrpcUrl(url: string): string {
  if (!URL.canParse(url)) {
    throw new Error(`url must be an address such as https://querybell.example.com, and not "${url}".`);
  }
  return `${url.replace(/(?<!\/)\/+$/, "")}/api/trpc`;
}
