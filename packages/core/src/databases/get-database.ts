import type { Tx } from "@querybell/db";
import { AppError, type Caller } from "@querybell/domain";
import { databaseDeleted } from "./open-connection.ts";

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
