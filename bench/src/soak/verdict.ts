import type { Deps } from "@querybell/core";
import type { Arrival } from "../webhooks/receiver.ts";
import type { Ledger } from "./ledger.ts";
import type { World } from "./world.ts";

interface VerdictOptions {
  deps: Deps;
  world: World;
  ledger: Ledger;
  arrivals: readonly Arrival[];
}

/** Checks, each a statement that must find nothing. */
const mustFindNothing: Record<string, string> = {
  "query runs have not ended": "SELECT id FROM query_runs WHERE completed_at IS NULL",
  "automation runs have not ended": "SELECT id FROM automation_runs WHERE completed_at IS NULL",
  "ended automation runs do not have exactly one event": `
    SELECT r.id FROM automation_runs r LEFT JOIN webhook_events e
      ON e.organization_id = r.organization_id AND e.dedupe_key = 'automation_run:' || r.id
    WHERE r.completed_at IS NOT NULL GROUP BY r.id HAVING count(e.id) <> 1`,
  "events do not have exactly one delivery for each endpoint": `
    SELECT e.id FROM webhook_events e LEFT JOIN webhook_deliveries d ON d.event_id = e.id AND d.round = 0
    GROUP BY e.id, e.organization_id HAVING count(DISTINCT d.endpoint_id) <> (
      SELECT count(*) FROM webhook_endpoints w WHERE w.organization_id = e.organization_id)`,
  "deliveries are neither delivered nor exhausted after eight attempts": `
    SELECT id FROM webhook_deliveries
    WHERE NOT (state = 'succeeded' OR (state = 'exhausted' AND attempt_count = 8))`,
  "deliveries have another number of attempts than they count": `
    SELECT d.id FROM webhook_deliveries d LEFT JOIN webhook_attempts a ON a.delivery_id = d.id
    GROUP BY d.id, d.attempt_count HAVING count(a.number) <> d.attempt_count`,
  // The text of query_failed comes from the engine.
  "failed query runs have no sentence": `
    SELECT id FROM query_runs WHERE status = 'failed' AND failure_code IS DISTINCT FROM 'query_failed'
      AND (failure_code IS NULL OR failure_reason !~ '[.!?]$')`,
  "failed automation runs have no sentence": `
    SELECT id FROM automation_runs WHERE status = 'failed' AND failure_code IS DISTINCT FROM 'stopped'
      AND (failure_code IS NULL OR failure_reason !~ '[.!?]$')`,
  "steps are twice in a transcript": `
    SELECT run_id FROM automation_steps GROUP BY run_id, coalesce(input->>'shortId', name) HAVING count(*) > 1`,
  "completed runs of the agent digest have another number of steps": `
    SELECT r.id FROM automation_runs r LEFT JOIN automation_steps s ON s.run_id = r.id
    WHERE r.status = 'completed' AND r.agent = 'digest' GROUP BY r.id HAVING count(s.id) <> 5`,
};

/** Compares what the api accepted and what arrived with what is stored. Call it when everything has come to rest. */
export async function findLosses({ deps, world, ledger, arrivals }: VerdictOptions): Promise<string[]> {
  const { pool } = deps.db;
  const problems: string[] = [];
  const complain = (what: string, ids: string[]) => {
    if (ids.length > 0) problems.push(`${ids.length} ${what}: ${ids.slice(0, 3).join(", ")}`);
  };
  const idsOf = async (text: string): Promise<string[]> =>
    (await pool.query<{ id: string }>(`SELECT found::text AS id FROM (${text}) f (found)`)).rows.map(
      ({ id }) => id,
    );
  for (const [what, text] of Object.entries(mustFindNothing)) complain(what, await idsOf(text));

  const stored = new Set(await idsOf("SELECT id FROM query_runs UNION ALL SELECT id FROM automation_runs"));
  const accepted = [...ledger.queryRuns, ...ledger.automationRuns];
  complain(
    "accepted runs do not exist",
    accepted.filter((id) => !stored.has(id)),
  );
  const { rows: runs } = await pool.query<{ id: string; summary: string | null }>(
    "SELECT id, summary FROM automation_runs WHERE id = ANY($1)",
    [[...ledger.agentSummaries.keys()]],
  );
  complain(
    "summaries of the external agent are not those that were accepted",
    runs.filter(({ id, summary }) => ledger.agentSummaries.get(id) !== summary).map(({ id }) => id),
  );
  const { rows: references } = await pool.query<{ shortId: string; title: string | null }>(
    `SELECT short_id AS "shortId", CASE WHEN deleted_at IS NULL THEN title END AS title
     FROM query_references WHERE short_id = ANY($1)`,
    [[...ledger.references.keys()]],
  );
  const titles = new Map(references.map(({ shortId, title }) => [shortId, title]));
  complain(
    "references are not as they were accepted",
    [...ledger.references].filter(([id, may]) => !may.has(titles.get(id) ?? null)).map(([id]) => id),
  );
  const { rows: tables } = await pool.query<{ rowCount: string }>(
    `SELECT row_count AS "rowCount" FROM uploaded_tables WHERE organization_id = $1`,
    [world.organizationId],
  );
  const rowCount = Number(tables[0]?.rowCount ?? Number.NaN);
  if (ledger.uploadedRows.size > 0 && !ledger.uploadedRows.has(rowCount)) {
    problems.push(
      `The uploaded table has ${rowCount} rows, accepted were ${[...ledger.uploadedRows].join(" or ")}.`,
    );
  }

  const arrived = new Set(arrivals.map(({ id, path }) => `${id} ${path}`));
  const paths = new Map([
    [world.endpoints.good, "/good"],
    [world.endpoints.fail, "/fail"],
    [world.endpoints.hang, "/hang"],
    [world.endpoints.refused, "/refused"],
  ]);
  const { rows: succeeded } = await pool.query<{ eventId: string; endpointId: string }>(
    `SELECT event_id AS "eventId", endpoint_id AS "endpointId" FROM webhook_deliveries WHERE state = 'succeeded'`,
  );
  complain(
    "deliveries are recorded as delivered and have never arrived",
    succeeded
      .filter(({ eventId, endpointId }) => !arrived.has(`${eventId} ${paths.get(endpointId)}`))
      .map(({ eventId }) => eventId),
  );
  return problems;
}
