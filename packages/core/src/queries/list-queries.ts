import type { Caller, ListedQuery, ListQueries, Page, RunFailureCode, RunStatus } from "@querybell/domain";
import {
  asInSnapshot,
  inSnapshot,
  listedInSnapshot,
  readSnapshotPage,
  type SnapshotDeps,
  snapshotStatement,
} from "../paging/snapshot-page.ts";
import { type QueryRow, toQueryFields } from "./get-query.ts";

interface ListedRow extends QueryRow {
  runId: string | null;
  runStatus: RunStatus;
  runFailureCode: RunFailureCode | null;
  runAt: Date;
}

const mutableColumns = {
  sql: "text",
  name: "text",
  description: "text",
  version: "integer",
  analytical_database_config_id: "uuid",
  updated_at: "timestamptz",
  deleted_at: "timestamptz",
};

// An ended run never changes, so its status in the snapshot follows from its start and end transactions. Runs are read from
// the table itself: the query is seen by the caller.
const listed = `
  SELECT query.id, was.sql, was.name, was.description, was.version,
    was.analytical_database_config_id AS "analyticalDatabaseConfigId",
    query.created_by AS "createdBy", query.created_at AS "createdAt", was.updated_at AS "updatedAt",
    latest.id AS "runId", latest.status AS "runStatus", latest.failure_code AS "runFailureCode",
    latest.created_at AS "runAt"
  FROM queries query
    CROSS JOIN LATERAL (${asInSnapshot("query", mutableColumns)}) AS was
    LEFT JOIN LATERAL (
      SELECT run.id, run.created_at, CASE
          WHEN ${inSnapshot("run.ended_xid")} THEN run.status
          WHEN ${inSnapshot("run.started_xid")} THEN 'running'
          ELSE 'pending'
        END AS status,
        CASE WHEN ${inSnapshot("run.ended_xid")} THEN run.failure_code END AS failure_code
      FROM public.query_runs run
      WHERE run.query_id = query.id AND has_own_values(run.system_values) AND ${inSnapshot("run.created_xid")}
      ORDER BY run.created_at DESC, run.id DESC LIMIT 1
    ) AS latest ON true
  WHERE query.automation_run_id IS NULL AND query.draft_id IS NULL AND ${listedInSnapshot("query", "was")}`;

const unfiltered = snapshotStatement(listed);

// Filters use the values in the snapshot, so that the pages of a sequence are consistent. The list without filters is
// a separate statement, because it must be fast.
const filtered = snapshotStatement(`${listed}
  AND ($6::uuid IS NULL OR query.created_by = $6)
  AND ($7::uuid IS NULL OR was.analytical_database_config_id = $7)
  AND ($8::text IS NULL OR strpos(lower(coalesce(was.name, '')), $8) > 0 OR strpos(lower(was.sql), $8) > 0)`);

export async function listQueries(
  deps: SnapshotDeps,
  { organizationId }: Pick<Caller, "organizationId">,
  { limit, cursor, search, createdBy, analyticalDatabaseConfigId }: ListQueries,
): Promise<Page<ListedQuery>> {
  const filters = [createdBy, analyticalDatabaseConfigId, search?.toLowerCase()];
  const isFiltered = filters.some((filter) => filter !== undefined);
  const { items, ...rest } = await readSnapshotPage<ListedRow>(
    deps,
    { list: "queries", organizationId, filter: isFiltered ? JSON.stringify(filters) : "", limit, cursor },
    isFiltered
      ? { name: "list_queries_filtered", text: filtered, values: filters }
      : { name: "list_queries", text: unfiltered },
  );
  return { items: items.map(toListedQuery), ...rest };
}

const toListedQuery = ({ runId, runStatus, runFailureCode, runAt, ...row }: ListedRow): ListedQuery => ({
  ...toQueryFields(row),
  latestRun:
    runId === null
      ? null
      : { id: runId, status: runStatus, runAt: runAt.toISOString(), failureCode: runFailureCode },
});
