import { cursorExpired, type Key } from "@querybell/cursors";
import { maxPageBytes, maxPageSize, type Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { cursorToAppError, openCursor, type PageOf, startKey } from "./live-page.ts";

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

/** SQL: whether a transaction is visible in the snapshot of the sequence. Null if `xid` is null. */
export const inSnapshot = (xid: string): string => `pg_visible_in_snapshot(${xid}, here.snapshot)`;

/**
 * SQL: the mutable columns of a row with their values in the snapshot. Reads the row itself if its last change is
 * visible in the snapshot, and otherwise the stored version that a later change replaced.
 */
export const asInSnapshot = (row: string, columns: Record<string, string>): string => `
  SELECT ${Object.keys(columns)
    .map((column) => `${row}.${column}`)
    .join(", ")}
  WHERE ${inSnapshot(`${row}.changed_xid`)}
  UNION ALL
  SELECT ${Object.entries(columns)
    .map(([column, type]) => `(version.row ->> '${column}')::${type}`)
    .join(", ")}
  FROM row_versions version
  WHERE NOT ${inSnapshot(`${row}.changed_xid`)} AND version.row_id = ${row}.id
    AND ${inSnapshot("version.changed_xid")} AND NOT ${inSnapshot("version.replaced_xid")}`;

/**
 * SQL: the rows of the organization $1 that exist in the snapshot and come after the key ($3, $4). `was` are the values in
 * the snapshot, with `deleted_at`: a deletion that was undone, or repeated after that, leaves no other trace. A row whose
 * deletion is visible in the snapshot and was never undone is skipped without reading them.
 */
export const listedInSnapshot = (row: string, was: string): string => `
  ${row}.organization_id = $1 AND (${row}.created_at, ${row}.id) < ($3::timestamptz, $4::uuid)
  AND ${inSnapshot(`${row}.created_xid`)} AND ${inSnapshot(`${row}.deleted_xid`)} IS NOT TRUE
  AND ${was}.deleted_at IS NULL`;

/**
 * The statement of every page: `rows` in the snapshot $2 or, for the first page, in the statement's own snapshot. At
 * most $5 rows and `maxPageBytes` of `sql`, newest first, each with `isFollowed`. Returns at least one row, so that an
 * empty page carries the database identity too. The constant inner LIMIT makes the planner use the index for every $5.
 * octet_length reads the sizes without reading the texts.
 */
export const snapshotStatement = (rows: string): string => `
  WITH here AS MATERIALIZED (
    SELECT coalesce($2::pg_snapshot, pg_current_snapshot()) AS snapshot, querybell_database_identity() AS identity
  )
  SELECT here.snapshot::text, here.identity, page.* FROM here LEFT JOIN LATERAL (
    SELECT * FROM (
      SELECT rows.*, lead(id) OVER newest_first IS NOT NULL AS "isFollowed",
        sum(coalesce(octet_length(sql), 0)) OVER newest_first AS "bytesSoFar"
      FROM (${rows} ORDER BY "createdAt" DESC, id DESC LIMIT ${maxPageSize + 1}) AS rows
      WINDOW newest_first AS (ORDER BY "createdAt" DESC, id DESC ROWS UNBOUNDED PRECEDING)
    ) AS measured
    WHERE "bytesSoFar" <= ${maxPageBytes} OR "bytesSoFar" = octet_length(sql)
    ORDER BY "createdAt" DESC, id DESC LIMIT $5
  ) AS page ON true
  ORDER BY page."createdAt" DESC, page.id DESC`;
