import { cursorExpired, type Key } from "@querybell/cursors";
import type { Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { cursorToAppError, openCursor } from "./open-cursor.ts";
import { type PageOf, startKey } from "./page-of.ts";

/** A single connection serves as well as the pool: then the first page sees what that one's transaction sees. */
export type SnapshotDeps = Pick<Deps, "clock" | "cursors"> & {
  db: { pool: Pick<Deps["db"]["pool"], "query"> };
};

interface SnapshotList {
  /** Also the name of the prepared statement. */
  name: string;
  /** By `snapshotStatement`. */
  text: string;
  /** For $6 and on: what narrows the list. */
  values?: unknown[];
}

type Listed<Row> = Row & { isFollowed: boolean };
type Answer<Row> = { snapshot: string; identity: string } & (Listed<Row> | { id: null });

/**
 * A page of a list as it was when its first page was read: nothing that came later is in it, what was deleted
 * or edited later is there as it was. Costs the same however deep the page is.
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
  if (!first) throw new Error(`The statement ${name} answered nothing.`);
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
