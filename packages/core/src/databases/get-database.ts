import type { Tx } from "@querybell/db";
import { AppError, type Caller } from "@querybell/domain";
import { lockRow } from "../lock-row.ts";
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
