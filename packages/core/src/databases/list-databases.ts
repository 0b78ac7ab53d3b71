import type { Caller, DatabaseSummary, DescribedDatabase } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toDatabase, toDatabaseSummary } from "./database-row.ts";

const readRows = ({ db }: Pick<Deps, "db">, { organizationId }: Caller) =>
  db.prisma.analyticalDatabaseConfig.findMany({
    where: { organizationId, deletedAt: null },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });

/** Lists the databases for members: names and engines. The one that holds uploads comes last. */
export async function listDatabases(deps: Deps, caller: Caller): Promise<DatabaseSummary[]> {
  const summaries = (await readRows(deps, caller)).map(toDatabaseSummary);
  return summaries.sort((a, b) => Number(a.holdsUploads) - Number(b.holdsUploads));
}

/**
 * Lists the databases for admins: with connection settings (no credentials) and the number of queries. The one that
 * holds uploads has no connection to set.
 */
export async function describeDatabases(deps: Deps, caller: Caller): Promise<DescribedDatabase[]> {
  const { organizationId } = caller;
  const rows = (await readRows(deps, caller)).filter(({ holdsUploads }) => !holdsUploads);
  const counts = await deps.db.prisma.query.groupBy({
    by: ["analyticalDatabaseConfigId"],
    where: { organizationId, deletedAt: null },
    _count: true,
  });
  const queries = new Map(counts.map((count) => [count.analyticalDatabaseConfigId, count._count]));
  return rows.map((row) => ({ ...toDatabase(row), queryCount: queries.get(row.id) ?? 0 }));
}
