import type { Outputs } from "@querybell/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { api, meKey, queryClient, trpc } from "../api.ts";
import { toFailure } from "../errors/failure.ts";

export type Me = Outputs["me"]["get"];

/** The signed-in user; null without a session. */
export const meOptions = queryOptions({
  queryKey: meKey,
  queryFn: async (): Promise<Me | null> => {
    try {
      return await api.me.get.query();
    } catch (error) {
      if (toFailure(error).code === "unauthorized") return null;
      throw error;
    }
  },
});

const appRoute = getRouteApi("/app");

/** The signed-in user, on any page inside the shell. Their organization may be null. */
export function useSession() {
  const { me } = appRoute.useRouteContext();
  const organization = me.memberships.find((one) => one.organizationId === me.organizationId);
  const role = organization && (me.seesAs?.role ?? organization.role);
  /** Whether they may write queries, charts and automations: everybody except viewers. */
  const isMember = role !== undefined && role !== "viewer";
  return { ...me, organization, isMember, isAdmin: role === "admin" || role === "owner" };
}

/** The signed-in user and their organization, on pages that require one. */
export function useMe() {
  const { organization, ...session } = useSession();
  if (!organization) throw new Error("This page is shown to somebody without an organization.");
  return { ...session, organization };
}

/** Reads the signed-in user again, and draws the pages with what has changed. */
export function useRefreshMe(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    await queryClient.fetchQuery({ ...meOptions, staleTime: 0 });
    await router.invalidate();
  };
}

/** Returns a function that names a user by their id: "…" while the members are not known. */
export function useMemberName(formerMember = "A former member"): (userId: string) => string {
  const { data: members } = useQuery(trpc.members.list.queryOptions());
  return (id) => (members ? (members.find(({ userId }) => userId === id)?.name ?? formerMember) : "…");
}
