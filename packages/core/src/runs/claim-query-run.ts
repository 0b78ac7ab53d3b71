import type { Prisma } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { claimNextRun, type RunClaimer, type RunLease } from "../leases.ts";

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
  /** The trace in which it was started; null without tracing. */
  traceContext: string | null;
}

const columns = `id, organization_id AS "organizationId", query_id AS "queryId", query_version AS "queryVersion",
  lease_number AS "leaseNumber", host_deaths AS "hostDeaths", cancel_requested_at IS NOT NULL AS "isCancelRequested", statement,
  system_values AS "systemValues",
  trace_context AS "traceContext"`;

// A worker looks for the next run whenever one starts or ends, and mostly there is none.
const condition = `EXISTS (SELECT FROM query_runs WHERE status = 'pending')
  OR EXISTS (SELECT FROM query_runs WHERE status = 'running' AND lease_until < now())`;

export async function claimQueryRun(
  deps: Pick<Deps, "db" | "clock">,
  claimer: RunClaimer,
): Promise<ClaimedQueryRun | undefined> {
  const run = await claimNextRun<ClaimedQueryRun>(deps, { table: "query_runs", columns, condition }, claimer);
  if (run) deps.db.notices.publish("querybell_run_changed", [run.id]);
  return run;
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
  | "deletedAt"
>;

/** The query of a run, with its database. */
interface QueryOfRun {
  organizationId: string;
  sql: string;
  version: number;
  organization: { slug: string };
  database: DatabaseColumns;
}

export async function getQueryOfRun({ db }: Pick<Deps, "db">, queryId: string): Promise<QueryOfRun> {
  const { rows } = await db.pool.query<DatabaseColumns & { sql: string; version: number; slug: string }>({
    name: "get_query_of_run",
    text: `
      SELECT q.organization_id AS "organizationId", q.sql, q.version, o.slug, d.id, d.engine, d.settings,
        d.sealed_credentials AS "sealedCredentials", d.limits, d.reached_servers AS "reachedServers",
        d.holds_uploads AS "holdsUploads", d.upload_file_id AS "uploadFileId",
        d.group_roles AS "groupRoles", d.deleted_at AS "deletedAt"
      FROM queries q JOIN organizations o ON o.id = q.organization_id
        JOIN analytical_database_configs d
          ON d.organization_id = q.organization_id AND d.id = q.analytical_database_config_id
      WHERE q.id = $1`,
    values: [queryId],
  });
  const [row] = rows;
  if (!row) throw new Error(`There is no query ${queryId}.`);
  const { sql, version, slug, ...database } = row;
  return { organizationId: database.organizationId, sql, version, organization: { slug }, database };
}
