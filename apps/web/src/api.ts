import { createClient, toApiError } from "@querybell/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { reportFailedCall } from "./app/connection.ts";

/** Calls the api directly, where no hook can: `await api.me.get.query()`. */
export const api = createClient({ url: import.meta.env.SSR ? "http://localhost" : location.origin });

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: reportFailedCall }),
  mutationCache: new MutationCache({ onError: reportFailedCall }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays one. A server that cannot be reached is asked again by the connection watcher.
      retry: (count, error) => count < 2 && toApiError(error)?.reason === "unavailable",
      // The browser's own guess whether there is a network says nothing about a server on the same machine.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/** Options for TanStack Query's hooks: `useQuery(trpc.queries.list.queryOptions({}))`. */
export const trpc = createTRPCOptionsProxy({ client: api, queryClient });
