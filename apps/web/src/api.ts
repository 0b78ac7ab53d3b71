import { createClient, toApiError } from "@querybell/client";
import { organizationHeader } from "@querybell/domain/organization-header";
import {
  type DataTag,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  type Updater,
} from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { reportFailedCall } from "./frame/connection.ts";
import { confirmSecondFactor } from "./session/confirmation.ts";

let shownOrganization: string | null = null;

/** Sets which organization the page shows. Its calls name it from now on. */
export const setShownOrganization = (organizationId: string | null): void => {
  shownOrganization = organizationId;
};

/** The session may have been switched in another window: the api refuses a call that names another organization. */
export const organizationHeaders = (): Record<string, string> =>
  shownOrganization === null ? {} : { [organizationHeader]: shownOrganization };

/** Calls the api outside of React hooks: `await api.me.get.query()`. */
export const api = createClient({
  url: import.meta.env.SSR ? "http://localhost" : location.origin,
  headers: organizationHeaders,
  confirm: confirmSecondFactor,
});

/** The query key of the signed-in user. */
export const meKey = ["me"] as const;

function onError(error: unknown): void {
  reportFailedCall(error);
  // With the new `me`, the page sees that the session opens another organization or none, and loads itself again.
  const reason = toApiError(error)?.reason;
  if (
    reason === "session_switched" ||
    reason === "second_factor_required" ||
    reason === "single_sign_on_required"
  )
    void queryClient.invalidateQueries({ queryKey: meKey });
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // An error that the api sent would repeat. If the api cannot be reached, the connection notice retries.
      retry: (count, error) => count < 2 && toApiError(error)?.reason === "unavailable",
      // A server on the same machine can be reached even if the browser reports that it is offline.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/**
 * Shows what a change has answered. A read that is under way may have begun before the change and would bring back what
 * was there, so it is dropped and made again.
 */
export function showChange<Data, Failure>(
  queryKey: DataTag<QueryKey, Data, Failure>,
  shown: Updater<Data | undefined, NoInfer<Data> | undefined>,
): void {
  queryClient.setQueryData<Data>(queryKey, shown);
  if (queryClient.isFetching({ queryKey }) > 0) void queryClient.invalidateQueries({ queryKey });
}

/** Options for TanStack Query's hooks: `useQuery(trpc.queries.list.queryOptions({}))`. */
export const trpc = createTRPCOptionsProxy({ client: api, queryClient });
