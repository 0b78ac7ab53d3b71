import { cursorExpired, type Key } from "@querybell/cursors";
import type { Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { cursorToAppError, openCursor } from "./open-cursor.ts";
import { type PageOf, startKey } from "./page-of.ts";

/** `pool` may also be a single connection. The first page then sees the snapshot of its transaction. */
export type SnapshotDeps = Pick<Deps, "clock" | "cursors"> & {
  db: { pool: Pick<Deps["db"]["pool"], "query"> };
};

interface SnapshotList {
  /** Also the name of the prepared statement. */
  name: string;
  /** Built by `snapshotStatement`. */
  text: string;
  /** The values of the filters, from $6 on. */
  values?: unknown[];
}

type Listed<Row> = Row & { isFollowed: boolean };
type Answer<Row> = { snapshot: string; identity: string } & (Listed<Row> | { id: null });

/**
 * Reads a page of a list as of its first page: rows created later are left out, rows deleted or edited later are
 * returned unchanged. The cost does not depend on the depth of the page.
 */
export async function readSnapshotPage<Row extends Key>(
  { db, clock, cursors }: SnapshotDeps,
  { limit, cursor, ...sequence }: PageOf,
  { name, text, values = [] }: SnapshotList,
): Promise<Page<Row>> {
  const from = cursor === undefined ? undefined : openCursor(() => cursors.openSnapshot(sequence, cursor));
  const after = from?.after ?? startKey;
  const { rows: answers } = await db.pool.query<Answer<Row>>({
    name,
    text,
    values: [sequence.organizationId, from?.snapshot, after.createdAt, after.id, limit, ...values],
  });
  const [first] = answers;
  if (!first) throw new Error(`The statement ${name} returned no row.`);
  const { snapshot, identity: databaseIdentity } = first;
  if (from && from.databaseIdentity !== databaseIdentity) throw cursorToAppError(cursorExpired());
  const items = answers.filter((answer) => answer.id !== null) as Listed<Row>[];
  const last = items.at(-1);
  if (!last?.isFollowed) return { items };
  const startedAt = from?.startedAt ?? clock.now();
  return {
    items,
    nextCursor: cursors.sealSnapshot(sequence, { snapshot, databaseIdentity, startedAt, after: last }),
  };
}
