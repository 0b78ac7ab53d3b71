import type { Prisma } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { claimNextRun, leaseSeconds, type RunClaimer, type RunLease } from "../leases.ts";

/** A query run that a worker has claimed, as read from the run's row. */
export interface ClaimedQueryRun extends RunLease {
  organizationId: string;
  queryId: string;
  queryVersion: number;
  isCancelRequested: boolean;
  /** How many workers died with it, and so its engine host. */
  hostDeaths: number;
  statement: unknown;
  systemValues: unknown;
  /** The refresh of a dashboard to which it belongs. Then it may lead others. */
  refreshId: string | null;
  /** The trace in which it was started; null without tracing. */
  traceContext: string | null;
  /** Its query, if that was read with the claim: not one that was made while the claim waited for another one. */
  query?: QueryOfRun | null;
}

/** SQL: the columns of a claimed run. */
const columnsOf = (
  run: string,
) => `${run}.id, ${run}.organization_id AS "organizationId", ${run}.query_id AS "queryId",
  ${run}.query_version AS "queryVersion", ${run}.lease_number AS "leaseNumber", ${run}.host_deaths AS "hostDeaths",
  ${run}.cancel_requested_at IS NOT NULL AS "isCancelRequested", ${run}.statement, ${run}.system_values AS "systemValues",
  ${run}.refresh_id AS "refreshId", ${run}.trace_context AS "traceContext"`;

// A worker looks for the next run whenever one starts or ends, and mostly there is none.
const condition = `EXISTS (SELECT FROM query_runs WHERE status = 'pending' AND leader_id IS NULL)
  OR EXISTS (SELECT FROM query_runs WHERE status = 'running' AND leader_id IS NULL AND lease_until < now())`;

export async function claimQueryRun(
  deps: Pick<Deps, "db" | "clock">,
  claimer: RunClaimer,
): Promise<ClaimedQueryRun | undefined> {
  const run = await claimNextRun<ClaimedQueryRun>(
    deps,
    {
      table: "query_runs",
      columns: `${columnsOf("claim_query_run")}, of_run.query`,
      // With LIMIT, or the planner might read all queries.
      join: `LEFT JOIN LATERAL (${selectQuery} WHERE q.id = claim_query_run.query_id LIMIT 1) of_run ON true`,
      condition,
    },
    claimer,
  );
  if (run) deps.db.notices.publish("querybell_run_changed", [run.id]);
  return run;
}

/**
 * Claims a certain run for the worker that executes another one, which waits for it. Ceilings do not apply: the waiting
 * run uses no engine meanwhile. Undefined if the run has ended, or another worker executes it.
 */
export async function claimRunOfChart(
  { db, clock }: Pick<Deps, "db" | "clock">,
  id: string,
  waitingRunId: string,
): Promise<ClaimedQueryRun | undefined> {
  const { rows } = await db.pool.query<ClaimedQueryRun>({
    name: "claim_run_of_chart",
    text: `
      UPDATE query_runs SET status = 'running', started_at = coalesce(started_at, $2),
        lease_until = now() + make_interval(secs => $4), lease_number = lease_number + 1,
        lease_worker = (SELECT lease_worker FROM query_runs WHERE id = $3)
      WHERE id = $1 AND (status = 'pending' OR (status = 'running' AND lease_until < now()))
      RETURNING ${columnsOf("query_runs")}`,
    values: [id, clock.now(), waitingRunId, leaseSeconds],
  });
  return rows[0];
}

/**
 * Claims the runs that are executed with a claimed one, also those that a lost worker had begun, in the order in which they
 * were made. They have the number of its lease: what is recorded for one is recorded for all, by whoever holds it.
 */
export async function claimFollowers(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { id, leaseNumber }: RunLease,
): Promise<ClaimedQueryRun[]> {
  const { rows } = await db.pool.query<ClaimedQueryRun>({
    name: "claim_followers",
    text: `
      UPDATE query_runs r SET status = 'running', started_at = coalesce(r.started_at, $3), lease_number = $2,
        lease_worker = leader.lease_worker, lease_until = leader.lease_until
      FROM query_runs leader
      WHERE leader.id = $1 AND leader.lease_number = $2 AND leader.status = 'running'
        AND r.leader_id = $1 AND r.status IN ('pending', 'running')
      RETURNING ${columnsOf("r")}`,
    values: [id, leaseNumber, clock.now()],
  });
  db.notices.publish(
    "querybell_run_changed",
    rows.map((run) => run.id),
  );
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The query of a run, with its database. */
export interface QueryOfRun {
  organizationId: string;
  sql: string;
  version: number;
  organization: { slug: string };
  database: DatabaseColumns & { isDeleted: boolean };
}

/** The columns of a database's row that a run needs. */
type DatabaseColumns = Pick<
  Prisma.AnalyticalDatabaseConfigModel,
  | "id"
  | "organizationId"
  | "engine"
  | "settings"
  | "sealedCredentials"
  | "limits"
  | "reachedServers"
  | "holdsUploads"
  | "uploadFileId"
  | "groupRoles"
>;

/** SQL: a query with its database, as `QueryOfRun`. */
const selectQuery = `
  SELECT jsonb_build_object('organizationId', q.organization_id, 'sql', q.sql, 'version', q.version,
    'organization', jsonb_build_object('slug', o.slug),
    'database', jsonb_build_object('id', d.id, 'organizationId', d.organization_id, 'engine', d.engine,
      'settings', d.settings, 'sealedCredentials', d.sealed_credentials, 'limits', d.limits,
      'reachedServers', d.reached_servers, 'holdsUploads', d.holds_uploads, 'uploadFileId', d.upload_file_id,
      'groupRoles', d.group_roles, 'isDeleted', d.deleted_at IS NOT NULL)) AS query
  FROM queries q JOIN organizations o ON o.id = q.organization_id
    JOIN analytical_database_configs d
      ON d.organization_id = q.organization_id AND d.id = q.analytical_database_config_id`;

export async function getQueryOfRun({ db }: Pick<Deps, "db">, queryId: string): Promise<QueryOfRun> {
  const { rows } = await db.pool.query<{ query: QueryOfRun }>({
    name: "get_query_of_run",
    text: `${selectQuery} WHERE q.id = $1`,
    values: [queryId],
  });
  const [row] = rows;
  if (!row) throw new Error(`There is no query ${queryId}.`);
  return row.query;
}
