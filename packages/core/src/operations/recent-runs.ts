import { maxListedOrganizations, type Operations, recentRunCount } from "@querybell/domain";
import type { Deps } from "../deps.ts";

interface Row {
  slug: string;
  name: string;
  runs: number;
  failed: number;
  waitMedian: number;
  waitLongest: number;
  runMedian: number;
  runLongest: number;
  totalRunMs: number;
  since: Date;
  allRuns: number;
}

/** How long the newest query runs waited and took, by organization: the ones that took most time first. */
export async function readRecentRuns({ db }: Pick<Deps, "db">): Promise<Operations["recentRuns"]> {
  const { rows } = await db.pool.query<Row>({
    name: "read_recent_runs",
    text: `
      WITH recent AS (
        SELECT organization_id, status, created_at,
          greatest(extract(epoch FROM started_at - created_at), 0) * 1000 AS wait_ms,
          greatest(extract(epoch FROM completed_at - started_at), 0) * 1000 AS run_ms
        FROM query_runs ORDER BY id DESC LIMIT $1
      ), ended AS (
        SELECT organization_id, count(*) AS runs, count(*) FILTER (WHERE status = 'failed') AS failed,
          percentile_disc(0.5) WITHIN GROUP (ORDER BY wait_ms) AS wait_median, max(wait_ms) AS wait_longest,
          percentile_disc(0.5) WITHIN GROUP (ORDER BY run_ms) AS run_median, max(run_ms) AS run_longest,
          sum(run_ms) AS total
        FROM recent WHERE status IN ('completed', 'failed') GROUP BY organization_id
        ORDER BY total DESC NULLS LAST LIMIT $2
      )
      SELECT o.slug, o.name, e.runs::int, e.failed::int,
        coalesce(wait_median, 0)::float8 AS "waitMedian", coalesce(wait_longest, 0)::float8 AS "waitLongest",
        coalesce(run_median, 0)::float8 AS "runMedian", coalesce(run_longest, 0)::float8 AS "runLongest",
        coalesce(total, 0)::float8 AS "totalRunMs",
        (SELECT min(created_at) FROM recent) AS since, (SELECT count(*) FROM recent)::int AS "allRuns"
      FROM ended e JOIN organizations o ON o.id = e.organization_id ORDER BY e.total DESC NULLS LAST, o.slug`,
    values: [recentRunCount, maxListedOrganizations],
  });
  return {
    since: rows[0]?.since.toISOString() ?? null,
    runs: rows[0]?.allRuns ?? 0,
    organizations: rows.map(({ slug, name, runs, failed, totalRunMs, ...times }) => ({
      ...{ slug, name, runs, failed, totalRunMs },
      waitMs: { median: times.waitMedian, longest: times.waitLongest },
      runMs: { median: times.runMedian, longest: times.runLongest },
    })),
  };
}
