import type { AnalyticalDatabase, Caller, DatabaseSummary } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toDatabase, toDatabaseSummary } from "./database-row.ts";

const readRows = ({ db }: Pick<Deps, "db">, { organizationId }: Caller) =>
  db.prisma.analyticalDatabaseConfig.findMany({
    where: { organizationId, deletedAt: null },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });

/** For members: which databases there are. */
export async function listDatabases(deps: Deps, caller: Caller): Promise<DatabaseSummary[]> {
  return (await readRows(deps, caller)).map(toDatabaseSummary);
}

/** For admins: how each is reached, without credentials. */
export async function describeDatabases(deps: Deps, caller: Caller): Promise<AnalyticalDatabase[]> {
  return (await readRows(deps, caller)).map(toDatabase);
}
