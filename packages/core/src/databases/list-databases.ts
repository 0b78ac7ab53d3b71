import type { Caller, DatabaseSummary, DescribedDatabase } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toDatabase, toDatabaseSummary } from "./database-row.ts";

const readRows = ({ db }: Pick<Deps, "db">, { organizationId }: Caller) =>
  db.prisma.analyticalDatabaseConfig.findMany({
    where: { organizationId, deletedAt: null },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });

/** Lists the databases for members: names and engines. */
export async function listDatabases(deps: Deps, caller: Caller): Promise<DatabaseSummary[]> {
  return (await readRows(deps, caller)).map(toDatabaseSummary);
}

/** Lists the databases for admins: with connection settings (no credentials) and the number of queries. */
export async function describeDatabases(deps: Deps, caller: Caller): Promise<DescribedDatabase[]> {
  const { organizationId } = caller;
  const rows = await readRows(deps, caller);
  const counts = await deps.db.prisma.query.groupBy({
    by: ["analyticalDatabaseConfigId"],
    where: { organizationId, deletedAt: null },
    _count: true,
  });
  const queries = new Map(counts.map((count) => [count.analyticalDatabaseConfigId, count._count]));
  return rows.map((row) => ({ ...toDatabase(row), queryCount: queries.get(row.id) ?? 0 }));
}
