import type { Inputs } from "@querybell/client";
import { useEffect } from "react";
import { api, queryClient, trpc } from "../../api.ts";

/** How long something must be open: a page that is only passed through is not recorded. */
const afterMs = 1000;

/** Records that the user has opened something, which the start page then lists as recent. */
export function useRecordOpened(kind: Inputs["home"]["recordOpened"]["kind"], id: string | undefined): void {
  useEffect(() => {
    if (id === undefined) return;
    const timer = setTimeout(() => {
      // If it fails, the start page lacks an entry, and nothing else does.
      api.home.recordOpened
        .mutate({ kind, id })
        .then(() => queryClient.invalidateQueries(trpc.home.overview.queryFilter()))
        .catch(() => {});
    }, afterMs);
    return () => clearTimeout(timer);
  }, [kind, id]);
}
