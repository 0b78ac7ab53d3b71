import { type Caller, type ListPastResults, PastFigures, type PastResultList } from "@querybell/domain";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { getQueryRow } from "../queries/get-query.ts";
import { hashValues } from "../results/get-result.ts";

/** Lists what is kept of a query and set of values, newest first. */
export async function listPastResults(
  deps: Deps,
  caller: Caller,
  { id, shortId, parameterValues: given, column, before, limit }: ListPastResults,
): Promise<PastResultList> {
  const { db, clock } = deps;
  const { organizationId } = caller;
  const hashes = given && (await hashValues(deps, caller, { id, shortId, given }));
  if (!hashes) await getQueryRow(db.prisma, caller, id);
  const { rows } = await db.pool.query<PastRow>({
    name: "list_past_results",
    text: `
      SELECT organization.history_days AS days, past.*
      FROM organizations organization
        LEFT JOIN LATERAL (
          SELECT run.parameter_values_hash AS hash FROM query_runs run
          WHERE run.query_id = $2 AND run.status = 'completed' AND ($3::bytea[] IS NULL OR run.parameter_values_hash = ANY ($3))
          ORDER BY run.created_at DESC, run.id DESC LIMIT 1) AS series ON true
        LEFT JOIN LATERAL (
          SELECT kept.run_id AS "runId", kept.completed_at AS "completedAt", kept.row_count AS "rowCount",
            run.query_version <> query.version AS "isOutdated",
            (SELECT jsonb_agg(figure -> 'name') FROM jsonb_array_elements(kept.figures -> 'columns') figure) AS columns,
            (SELECT figure FROM jsonb_array_elements(kept.figures -> 'columns') figure
             WHERE figure ->> 'name' = $4 LIMIT 1) AS figures
          FROM (
            SELECT * FROM past_results
            WHERE query_id = $2 AND parameter_values_hash = series.hash
              AND completed_at < coalesce($5::timestamptz, 'infinity')
            ORDER BY completed_at DESC, run_id DESC LIMIT $7) AS kept
            JOIN query_runs run ON run.id = kept.run_id JOIN queries query ON query.id = kept.query_id
          WHERE kept.organization_id = $1
            AND kept.completed_at > $6::timestamptz - make_interval(days => organization.history_days)
          ORDER BY kept.completed_at DESC, kept.run_id DESC) AS past ON true
      WHERE organization.id = $1`,
    values: [organizationId, id, hashes ?? null, column ?? null, before ?? null, clock.now(), limit + 1],
  });
  const found = rows.filter((row): row is FoundRow => row.runId !== null);
  return {
    items: found.slice(0, limit).map(({ runId, completedAt, rowCount, isOutdated, figures }) => ({
      ...{ runId, completedAt: completedAt.toISOString(), rowCount, isOutdated },
      figures: PastFigures.shape.columns.element.nullable().parse(figures),
    })),
    hasMore: found.length > limit,
    columns: z.array(z.string()).parse(found.find(({ columns }) => columns !== null)?.columns ?? []),
    days: rows[0]?.days ?? 0,
  };
}

interface FoundRow {
  days: number;
  runId: string;
  completedAt: Date;
  rowCount: number;
  isOutdated: boolean;
  columns: unknown;
  figures: unknown;
}
type PastRow = FoundRow | { days: number; runId: null };
