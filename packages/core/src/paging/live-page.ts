import type { Key } from "@querybell/cursors";
import type { Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { openCursor } from "./open-cursor.ts";
import type { PageOf } from "./page-of.ts";

interface Keyset {
  after: Key | undefined;
  take: number;
}

/**
 * A page of a list that shows what there is now: an item that comes or goes while somebody pages does so here
 * too. Reads one row more than asked for, to know whether another page follows.
 */
export async function readLivePage<Row extends Key>(
  { cursors }: Pick<Deps, "cursors">,
  { limit, cursor, ...sequence }: PageOf,
  find: (keyset: Keyset) => Promise<Row[]>,
): Promise<Page<Row>> {
  const after = cursor === undefined ? undefined : openCursor(() => cursors.openLive(sequence, cursor));
  const rows = await find({ after, take: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last ? { items, nextCursor: cursors.sealLive(sequence, last) } : { items };
}

/** The conditions and the order of a list by creation, newest first. */
export const newestFirst = (after: Key | undefined) => ({
  where: after
    ? { OR: [{ createdAt: { lt: after.createdAt } }, { createdAt: after.createdAt, id: { lt: after.id } }] }
    : {},
  orderBy: [{ createdAt: "desc" as const }, { id: "desc" as const }],
});
