import type { Prisma } from "@querybell/db";
import { AnalyticalDatabase, DatabaseLimits, type DatabaseSummary } from "@querybell/domain";

/** A configuration for admins: everything but its credentials. */
export const toDatabase = (row: Prisma.AnalyticalDatabaseConfigModel): AnalyticalDatabase => ({
  id: row.id,
  name: row.name,
  connection: AnalyticalDatabase.shape.connection.parse({ engine: row.engine, settings: row.settings }),
  limits: DatabaseLimits.parse(row.limits),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

export const toDatabaseSummary = ({
  id,
  name,
  engine,
  holdsUploads,
}: Prisma.AnalyticalDatabaseConfigModel): DatabaseSummary => ({
  id,
  name,
  engine,
  holdsUploads,
});
