import type { Caller, QueryDetail, QueryId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readLatestRuns } from "./latest-runs.ts";
import { queryNotFound } from "./lock-query.ts";
import { toQueryDetail } from "./query-row.ts";

export async function getQuery(
  deps: Deps,
  { organizationId }: Caller,
  { id }: QueryId,
): Promise<QueryDetail> {
  const row = await deps.db.prisma.query.findFirst({ where: { id, organizationId, deletedAt: null } });
  if (!row) throw queryNotFound();
  const runs = await readLatestRuns(deps, [id]);
  return toQueryDetail(row, runs.get(id));
}
