import type { Sequence } from "@querybell/cursors";
import type { ListPage } from "@querybell/domain";

/** A page of a sequence. Only the page size may differ between the pages of one sequence. */
export type PageOf = Sequence & Pick<ListPage, "limit"> & { cursor: string | undefined };

/** The key before the first row of a list that is sorted newest first. */
export const startKey = { createdAt: "infinity", id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
