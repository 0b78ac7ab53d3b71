import { useEffect } from "react";
import { queryClient, trpc } from "../api.ts";

/** After the page was loaded again, offers once more to undo the person's last deletion, for the time that is left. */
export function RestoredUndo(): null {
  useEffect(() => {
    // The api sends it with the page. Nobody else requests it.
    const queryKey = trpc.library.undoableDeletion.queryKey();
    const deletion = queryClient.getQueryData(queryKey);
    queryClient.removeQueries({ queryKey });
    if (!deletion) return;
    const offer = import("./item-actions.ts").then(({ offerUndoDelete }) => offerUndoDelete(deletion));
    // Nothing else is missing without the offer.
    offer.catch(() => {});
  }, []);
  return null;
}
