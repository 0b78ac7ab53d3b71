import { maxPageBytes, maxPageSize } from "@querybell/domain";

/** Whether a transaction counts in the sequence's snapshot; null for a transaction that never was. */
export const inSnapshot = (xid: string): string => `pg_visible_in_snapshot(${xid}, here.snapshot)`;

/**
 * The columns of a row that may change, with the values they had in the snapshot: the row's own if its last
 * change counts there, otherwise those of the version that a later change has replaced.
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

/** The rows of the organization $1 that were there in the snapshot and come after the key ($3, $4). */
export const listedInSnapshot = (row: string): string => `
  ${row}.organization_id = $1 AND (${row}.created_at, ${row}.id) < ($3::timestamptz, $4::uuid)
  AND ${inSnapshot(`${row}.created_xid`)} AND ${inSnapshot(`${row}.deleted_xid`)} IS NOT TRUE`;

/**
 * One statement for any page: `rows` in the snapshot $2 or, without one, in the statement's own, at most $5 of
 * them and not many bytes of `sql`, newest first; each says whether another one follows. There is always an answer,
 * so that a page without rows says too which database it is of. The constant limit inside lets the planner know,
 * whatever $5 is, that it reads a few rows along the index. The sizes are read without the texts themselves.
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
