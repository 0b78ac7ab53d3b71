import type { Sequence } from "@querybell/cursors";
import type { ListPage } from "@querybell/domain";

/** Which page of which sequence. The page size may change within a sequence, nothing else may. */
export type PageOf = Sequence & Pick<ListPage, "limit"> & { cursor: string | undefined };

/** A key that comes before all others, newest first. */
export const startKey = { createdAt: "infinity", id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
