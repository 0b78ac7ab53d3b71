import type { Prisma } from "@querybell/db";
import type { Caller, QueryDetail, QueryId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readLatestRuns } from "./latest-runs.ts";
import { queryNotFound } from "./lock-query.ts";
import { toQueryDetail } from "./query-row.ts";

export async function getQuery(deps: Deps, caller: Caller, { id }: QueryId): Promise<QueryDetail> {
  const row = await getQueryRow(deps, caller, id);
  const runs = await readLatestRuns(deps, [id]);
  return toQueryDetail(row, runs.get(id));
}

/** Gets the row of a query. Throws if it does not exist or is deleted. */
export async function getQueryRow(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<Prisma.QueryModel> {
  const row = await db.prisma.query.findFirst({ where: { id, organizationId, deletedAt: null } });
  if (!row) throw queryNotFound();
  return row;
}
