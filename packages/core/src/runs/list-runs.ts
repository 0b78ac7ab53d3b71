import type { Caller, ListedRun, ListRuns, Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type Keyset, type Measured, readByteLimitedPage } from "../paging/live-page.ts";
import { startKey } from "../paging/page-of.ts";
import { findStarters } from "./find-starters.ts";
import { toRunDetail } from "./run-row.ts";

/** Lists the runs of one query or of all, newest first. */
export async function listRuns(
  deps: Deps,
  { organizationId }: Caller,
  { queryId, limit, cursor }: ListRuns,
): Promise<Page<ListedRun>> {
  const filter = queryId === undefined ? "" : `queryId=${queryId}`;
  const { items, ...rest } = await readByteLimitedPage(
    deps,
    { list: "runs", organizationId, filter, limit, cursor },
    {
      measure: (keyset) => measureRuns(deps, { organizationId, queryId }, keyset),
      read: (ids) => deps.db.prisma.queryRun.findMany({ where: { id: { in: ids } } }),
    },
  );
  const startedBy = await findStarters(
    deps,
    { organizationId },
    items.map(({ triggerId }) => triggerId),
  );
  return {
    items: items.map((row) => ({ ...toRunDetail(row), startedBy: startedBy(row.triggerId) })),
    ...rest,
  };
}

// The rendered SQL contains all values, so SQL and values together have at most about twice its size.
const measured = (ofQuery: string) => `
  SELECT id, created_at AS "createdAt", 2 * octet_length(rendered_sql) AS bytes FROM query_runs
  WHERE organization_id = $1 ${ofQuery} AND (created_at, id) < ($2::timestamptz, $3::uuid)
  ORDER BY created_at DESC, id DESC LIMIT $4`;
const ofAll = measured("");
const ofOne = measured("AND query_id = $5");

async function measureRuns(
  { db }: Pick<Deps, "db">,
  { organizationId, queryId }: { organizationId: string; queryId: string | undefined },
  { after, take }: Keyset,
): Promise<Measured[]> {
  const { createdAt, id } = after ?? startKey;
  const values = [organizationId, createdAt, id, take];
  const { rows } = await db.pool.query<Measured>(
    queryId === undefined
      ? { name: "measure_runs", text: ofAll, values }
      : { name: "measure_runs_of_query", text: ofOne, values: [...values, queryId] },
  );
  return rows;
}
