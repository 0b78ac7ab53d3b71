import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { queryClient, trpc } from "../../api.ts";

const pollEveryMs = 1000;

/** The sample shop of the organization, for admins. Read again and again while it is created or removed. */
export function useSampleShop({ enabled }: { enabled: boolean }) {
  const { data: shop, error } = useQuery(
    trpc.sampleShop.find.queryOptions(undefined, {
      enabled,
      refetchInterval: ({ state: { data } }) =>
        data?.state === "creating" || data?.state === "removing" ? pollEveryMs : false,
    }),
  );
  const refresh = () => queryClient.invalidateQueries(trpc.sampleShop.find.queryFilter());
  const create = useMutation(trpc.sampleShop.create.mutationOptions({ onSuccess: refresh }));
  const remove = useMutation(trpc.sampleShop.delete.mutationOptions({ onSuccess: refresh }));

  // Its queries, charts and automation have come or gone.
  const state = shop === null ? "none" : shop?.state;
  const before = useRef(state);
  useEffect(() => {
    const isEnded = state === "ready" || state === "none";
    if (isEnded && before.current !== undefined && before.current !== state)
      void queryClient.invalidateQueries();
    before.current = state;
  }, [state]);
  return { shop, error: error ?? create.error, create, remove };
}
