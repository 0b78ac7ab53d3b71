import { type Caller, type HomeOverview, isAtLeast, maxCountedDeliveries } from "@querybell/domain";
import type { Deps } from "./deps.ts";
import { jsonTimestamp } from "./json-timestamp.ts";

const recentMs = 3 * 86_400_000;
const maxListed = 5;

const exists = (from: string, condition = "deleted_at IS NULL"): string =>
  `EXISTS (SELECT FROM ${from} WHERE organization_id = $1 AND ${condition})`;

/**
 * The same with the index of a list. With EXISTS, Postgres may read the whole table if some organization has
 * many rows.
 */
const existsInList = (from: string, condition = "deleted_at IS NULL"): string => `(
  SELECT true FROM ${from} WHERE organization_id = $1 AND ${condition}
  ORDER BY created_at DESC, id DESC LIMIT 1) IS NOT NULL`;

const list = (rows: string): string => `(SELECT coalesce(json_agg(listed), '[]') FROM (${rows}) AS listed)`;

/** The latest ended run of each query or automation, so that a failure before a success is not shown. */
const latestEnded = (table: string, owner: string, condition = "true"): string => `
  SELECT DISTINCT ON (${owner}) * FROM (
    SELECT * FROM ${table}
    WHERE organization_id = $1 AND created_at >= $2 AND completed_at IS NOT NULL AND ${condition}
    ORDER BY created_at DESC, id DESC LIMIT 1000
  ) AS recent ORDER BY ${owner}, created_at DESC, id DESC`;

/** How many deliveries of an endpoint `e` there are, up to a maximum. */
const countDeliveries = (condition: string): string => `(
  SELECT count(*) FROM (
    SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND ${condition} LIMIT ${maxCountedDeliveries}
  ) AS counted)`;

const text = `
  SELECT
    (SELECT webhooks_enabled FROM organizations WHERE id = $1) AS "webhooksEnabled",
    json_build_object(
      'database', ${exists("analytical_database_configs", "deleted_at IS NULL AND NOT holds_uploads")}
        OR ${exists("uploaded_tables", "true")},
      'query', ${existsInList("queries")},
      'run', ${existsInList("query_runs", "status = 'completed' AND trial_by IS NULL")},
      'reference', ${existsInList("query_references")},
      'automation', ${existsInList("automations")},
      'colleague', (SELECT count(*) > 1 FROM members WHERE organization_id = $1),
      'endpoint', ${exists("webhook_endpoints", "state <> 'deleted'")}
    ) AS "firstSteps",
    ${list(`
      SELECT r.automation_id AS "automationId", a.name AS "automationName", r.agent, r.short_id AS "shortId",
        left(r.summary, 2000) AS summary, ${jsonTimestamp("r.completed_at")} AS "completedAt"
      FROM automation_runs r JOIN automations a ON a.id = r.automation_id
      WHERE r.organization_id = $1 AND r.summary IS NOT NULL AND a.deleted_at IS NULL
      ORDER BY r.created_at DESC, r.id DESC LIMIT ${maxListed}`)} AS summaries,
    ${list(`
      SELECT q.id AS "queryId", coalesce(q.name,
          (SELECT title FROM query_references WHERE query_id = q.id AND deleted_at IS NULL ORDER BY created_at LIMIT 1),
          left(btrim(split_part(btrim(q.sql, E' \\t\\r\\n'), E'\\n', 1)), 200)) AS title,
        r.failure_reason AS reason, ${jsonTimestamp("r.completed_at")} AS "failedAt"
      FROM (${latestEnded("query_runs", "query_id", "trial_by IS NULL")}) AS r JOIN queries q ON q.id = r.query_id
      WHERE r.status = 'failed' AND r.failure_code <> 'cancelled' AND q.deleted_at IS NULL
      ORDER BY r.completed_at DESC LIMIT ${maxListed}`)} AS "failedQueries",
    ${list(`
      SELECT a.id AS "automationId", a.name, r.short_id AS "shortId", r.failure_reason AS reason,
        ${jsonTimestamp("r.completed_at")} AS "failedAt"
      FROM (${latestEnded("automation_runs", "automation_id")}) AS r JOIN automations a ON a.id = r.automation_id
      WHERE r.status = 'failed' AND r.failure_code <> 'stopped' AND a.deleted_at IS NULL
      ORDER BY r.completed_at DESC LIMIT ${maxListed}`)} AS "failedAutomations",
    ${list(`
      SELECT * FROM (
        SELECT e.id AS "endpointId", e.url, e.state, e.consecutive_failures AS "consecutiveFailures",
          ${countDeliveries("d.state = 'held'")} AS held,
          ${countDeliveries("d.state = 'pending' AND d.next_attempt_at > $4 AND d.attempt_count > 0")} AS retrying
        FROM webhook_endpoints e WHERE $3 AND e.organization_id = $1 AND e.state <> 'deleted'
      ) AS endpoint
      WHERE state = 'disabled' OR "consecutiveFailures" > 0 OR held > 0 OR retrying > 0
      ORDER BY state DESC, held DESC, "endpointId" LIMIT ${maxListed}`)} AS endpoints`;

/** Reads the content of the start page in one statement. Only admins get endpoints. */
export async function readHomeOverview(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId, role }: Caller,
): Promise<HomeOverview> {
  const now = clock.now();
  const since = new Date(now.getTime() - recentMs);
  const { rows } = await db.pool.query<HomeOverview>({
    name: "read_home_overview",
    text,
    values: [organizationId, since, isAtLeast(role, "admin"), now],
  });
  const [overview] = rows;
  if (!overview) throw new Error("A query without FROM returned no row.");
  return overview;
}
