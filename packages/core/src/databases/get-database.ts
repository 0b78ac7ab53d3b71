import { currentRights, type Prisma, type Tx } from "@querybell/db";
import {
  AnalyticalDatabase,
  AppError,
  type Caller,
  DatabaseLimits,
  type DatabaseSummary,
  type DescribedDatabase,
} from "@querybell/domain";
import { mayWriteSql } from "../access/may-see.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";

type Scope = Pick<Caller, "organizationId">;

/** Gets the configuration with its organization. Throws if it is unknown or deleted. */
export async function getDatabaseRow(
  tx: Pick<Tx, "analyticalDatabaseConfig">,
  { organizationId }: Scope,
  id: string,
) {
  const row = await tx.analyticalDatabaseConfig.findFirst({
    where: { id, organizationId },
    include: { organization: true },
  });
  if (!row) throw new AppError("not_found", "There is no such database. List them to see which there are.");
  if (row.deletedAt) throw databaseDeleted();
  return row;
}

/** Throws unless the caller may write SQL on a database, and so look at its tables. */
export function requireWriteSql(databaseId: string): void {
  if (mayWriteSql(currentRights(), databaseId)) return;
  throw new AppError(
    "forbidden",
    "You may run saved queries on this database, but not look at its tables. Ask an admin for the right.",
  );
}

export const databaseDeleted = () =>
  new AppError(
    "database_deleted",
    "The database of this query was deleted. Choose another database for the query, or ask an admin to add it again.",
  );

/**
 * The same for a configuration that is about to change, which is locked until the transaction ends. Throws if it is the
 * one that holds uploads.
 */
export async function getChangeableRow(tx: Tx, scope: Scope, id: string) {
  await lockRow(tx, {
    table: "analytical_database_configs",
    key: { id },
    organizationId: scope.organizationId,
    strength: "NO KEY UPDATE",
  });
  const row = await getDatabaseRow(tx, scope, id);
  if (row.holdsUploads) {
    throw new AppError(
      "invalid_request",
      "This database holds the files that people upload. It cannot be changed or deleted; drop its tables instead.",
    );
  }
  return row;
}

const readRows = ({ db }: Pick<Deps, "db">, { organizationId }: Caller) =>
  db.prisma.analyticalDatabaseConfig.findMany({
    where: { organizationId, deletedAt: null },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });

/** Lists the databases that the caller may use: names and engines. The one that holds uploads comes last. */
export async function listDatabases(deps: Deps, caller: Caller): Promise<DatabaseSummary[]> {
  const rights = currentRights();
  const summaries = (await readRows(deps, caller)).map((row) => ({
    ...toDatabaseSummary(row),
    mayWriteSql: mayWriteSql(rights, row.id),
  }));
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

/** A configuration for admins: everything but its credentials. */
export const toDatabase = (row: Prisma.AnalyticalDatabaseConfigModel): AnalyticalDatabase => ({
  id: row.id,
  name: row.name,
  connection: AnalyticalDatabase.shape.connection.parse({ engine: row.engine, settings: row.settings }),
  limits: DatabaseLimits.parse(row.limits),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

const toDatabaseSummary = (
  row: Prisma.AnalyticalDatabaseConfigModel,
): Omit<DatabaseSummary, "mayWriteSql"> => ({
  id: row.id,
  name: row.name,
  engine: row.engine,
  holdsUploads: row.holdsUploads,
});
