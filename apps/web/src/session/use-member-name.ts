import { useQuery } from "@tanstack/react-query";
import { trpc } from "../api.ts";

/** Returns a function that names a user by their id: "…" while the members are not known. */
export function useMemberName(formerMember = "A former member"): (userId: string) => string {
  const { data: members } = useQuery(trpc.members.list.queryOptions());
  return (id) => (members ? (members.find(({ userId }) => userId === id)?.name ?? formerMember) : "…");
}
