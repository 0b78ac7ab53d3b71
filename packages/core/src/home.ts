import {
  type Caller,
  type HomeOverview,
  isAtLeast,
  maxCountedDeliveries,
  maxRecentItems,
  type RecordOpened,
} from "@querybell/domain";
import type { Deps } from "./deps.ts";
import { jsonTimestamp } from "./json-timestamp.ts";

const recentMs = 3 * 86_400_000;
const maxListed = 5;
const maxListedRecent = 8;

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

/** The title of a query `q`: its name, that of its first reference, or the first line of its SQL. */
const queryTitle = `coalesce(q.name,
  (SELECT title FROM query_references WHERE query_id = q.id AND deleted_at IS NULL ORDER BY created_at LIMIT 1),
  left(btrim(split_part(btrim(q.sql, E' \\t\\r\\n'), E'\\n', 1)), 200))`;

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
      'endpoint', ${exists("webhook_endpoints", "state <> 'deleted' AND kind = 'webhook'")}
    ) AS "firstSteps",
    ${list(`
      SELECT o.kind, o.item_id AS id, r.short_id AS "shortId",
        CASE o.kind WHEN 'query' THEN ${queryTitle} WHEN 'reference' THEN r.title WHEN 'dashboard' THEN d.title ELSE a.name END AS title,
        ${jsonTimestamp("o.opened_at")} AS "openedAt"
      FROM recent_items o
      LEFT JOIN queries q ON o.kind = 'query' AND q.id = o.item_id AND q.deleted_at IS NULL
      LEFT JOIN query_references r ON o.kind = 'reference' AND r.id = o.item_id AND r.deleted_at IS NULL
      LEFT JOIN automations a ON o.kind = 'automation' AND a.id = o.item_id AND a.deleted_at IS NULL
      LEFT JOIN dashboards d ON o.kind = 'dashboard' AND d.id = o.item_id AND d.deleted_at IS NULL
      WHERE o.organization_id = $1 AND o.user_id = $5 AND coalesce(q.id, r.id, a.id, d.id) IS NOT NULL
      ORDER BY o.opened_at DESC LIMIT ${maxListedRecent}`)} AS recent,
    ${list(`
      SELECT r.automation_id AS "automationId", a.name AS "automationName", r.agent, r.short_id AS "shortId",
        left(r.summary, 2000) AS summary, ${jsonTimestamp("r.completed_at")} AS "completedAt"
      FROM automation_runs r JOIN automations a ON a.id = r.automation_id
      WHERE r.organization_id = $1 AND r.summary IS NOT NULL AND a.deleted_at IS NULL
      ORDER BY r.created_at DESC, r.id DESC LIMIT ${maxListed}`)} AS summaries,
    ${list(`
      SELECT q.id AS "queryId", ${queryTitle} AS title,
        r.failure_reason AS reason, ${jsonTimestamp("r.completed_at")} AS "failedAt"
      FROM (${latestEnded("query_runs", "query_id", "trial_by IS NULL")}) AS r JOIN queries q ON q.id = r.query_id
      WHERE r.status = 'failed' AND r.failure_code <> 'cancelled' AND q.deleted_at IS NULL AND q.archived_at IS NULL
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
        FROM webhook_endpoints e WHERE $3 AND e.organization_id = $1 AND e.state <> 'deleted' AND e.kind = 'webhook'
      ) AS endpoint
      WHERE state = 'disabled' OR "consecutiveFailures" > 0 OR held > 0 OR retrying > 0
      ORDER BY state DESC, held DESC, "endpointId" LIMIT ${maxListed}`)} AS endpoints`;

/** Reads the content of the start page in one statement. Only admins get endpoints. */
export async function readHomeOverview(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId, userId, role }: Caller,
): Promise<HomeOverview> {
  const now = clock.now();
  const since = new Date(now.getTime() - recentMs);
  const { rows } = await db.pool.query<HomeOverview>({
    name: "read_home_overview",
    text,
    values: [organizationId, since, isAtLeast(role, "admin"), now, userId],
  });
  const [overview] = rows;
  if (!overview) throw new Error("A query without FROM returned no row.");
  return overview;
}

/**
 * Records that the caller has opened something, and forgets what they opened before the last others. Does nothing if there
 * is no such thing in their organization. Rows that another window of theirs is changing are left to it.
 */
export async function recordOpened(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId, userId }: Caller,
  { kind, id }: RecordOpened,
): Promise<void> {
  await db.pool.query({
    name: "record_opened",
    text: `
      WITH found AS (
        SELECT id FROM queries WHERE $3::text = 'query' AND id = $4 AND organization_id = $1 AND deleted_at IS NULL
        UNION ALL
        SELECT id FROM query_references WHERE $3::text = 'reference' AND id = $4 AND organization_id = $1 AND deleted_at IS NULL
        UNION ALL
        SELECT id FROM automations WHERE $3::text = 'automation' AND id = $4 AND organization_id = $1 AND deleted_at IS NULL
        UNION ALL
        SELECT id FROM dashboards WHERE $3::text = 'dashboard' AND id = $4 AND organization_id = $1 AND deleted_at IS NULL
      ), opened AS (
        INSERT INTO recent_items (organization_id, user_id, kind, item_id, opened_at)
        SELECT $1::uuid, $2::uuid, $3::text::recent_kind, id, $5::timestamptz FROM found
        ON CONFLICT (organization_id, user_id, item_id) DO UPDATE SET opened_at = excluded.opened_at
      ), forgotten AS (
        SELECT item_id FROM recent_items WHERE organization_id = $1 AND user_id = $2 AND item_id <> $4
        ORDER BY opened_at DESC, item_id OFFSET $6 FOR UPDATE SKIP LOCKED
      )
      DELETE FROM recent_items
      WHERE organization_id = $1 AND user_id = $2 AND item_id IN (SELECT item_id FROM forgotten)`,
    values: [organizationId, userId, kind, id, clock.now(), maxRecentItems - 1],
  });
}
