import type { Prisma } from "@querybell/db";
import { AnalyticalDatabase, DatabaseSummary } from "@querybell/domain";

/** A configuration for admins: everything but its credentials. */
export const toDatabase = (row: Prisma.AnalyticalDatabaseConfigModel): AnalyticalDatabase =>
  AnalyticalDatabase.parse({
    ...row,
    connection: { engine: row.engine, settings: row.settings },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  });

export const toDatabaseSummary = (row: Prisma.AnalyticalDatabaseConfigModel): DatabaseSummary =>
  DatabaseSummary.parse(row);
