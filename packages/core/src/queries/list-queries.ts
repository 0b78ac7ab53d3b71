import type { Caller, ListPage, Page, Query, RunStatus } from "@querybell/domain";
import { readSnapshotPage, type SnapshotDeps } from "../paging/snapshot-page.ts";
import { asInSnapshot, inSnapshot, listedInSnapshot, snapshotStatement } from "../paging/snapshot-sql.ts";

interface ListedQuery {
  id: string;
  sql: string;
  analyticalDatabaseConfigId: string;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
  runId: string | null;
  runStatus: RunStatus;
  runAt: Date;
}

const changing = { sql: "text", analytical_database_config_id: "uuid", updated_at: "timestamptz" };

// A run that has ended never changes again, so what it was before follows from when it started and ended.
const text = snapshotStatement(`
  SELECT query.id, was.sql, was.analytical_database_config_id AS "analyticalDatabaseConfigId",
    query.created_by AS "createdBy", query.created_at AS "createdAt", was.updated_at AS "updatedAt",
    latest.id AS "runId", latest.status AS "runStatus", latest.created_at AS "runAt"
  FROM queries query
    CROSS JOIN LATERAL (${asInSnapshot("query", changing)}) AS was
    LEFT JOIN LATERAL (
      SELECT run.id, run.created_at, CASE
          WHEN ${inSnapshot("run.ended_xid")} THEN run.status
          WHEN ${inSnapshot("run.started_xid")} THEN 'running'
          ELSE 'pending'
        END AS status
      FROM query_runs run WHERE run.query_id = query.id AND ${inSnapshot("run.created_xid")}
      ORDER BY run.created_at DESC, run.id DESC LIMIT 1
    ) AS latest ON true
  WHERE ${listedInSnapshot("query")}`);

export async function listQueries(
  deps: SnapshotDeps,
  { organizationId }: Pick<Caller, "organizationId">,
  { limit, cursor }: ListPage,
): Promise<Page<Query>> {
  const { items, ...rest } = await readSnapshotPage<ListedQuery>(
    deps,
    { list: "queries", organizationId, filter: "", limit, cursor },
    { name: "list_queries", text },
  );
  return { items: items.map(toListedQuery), ...rest };
}

const toListedQuery = ({ runId, runStatus, runAt, ...row }: ListedQuery): Query => ({
  id: row.id,
  sql: row.sql,
  analyticalDatabaseConfigId: row.analyticalDatabaseConfigId,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  latestRun: runId === null ? null : { id: runId, status: runStatus, runAt: runAt.toISOString() },
});
