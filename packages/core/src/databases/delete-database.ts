import type { Tx } from "@querybell/db";
import type { Caller, DatabaseId } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { requestCancel } from "../runs/cancel-run.ts";
import { getChangeableRow } from "./get-database.ts";

/**
 * Soft delete, but the credentials are erased. Queries of this database remain. Their runs fail with
 * `database_deleted`: running ones are cancelled, waiting and later ones never start.
 */
export async function deleteDatabase(deps: Deps, caller: Caller, { id }: DatabaseId): Promise<void> {
  const { db, clock } = deps;
  await db.transaction(async (tx) => {
    const { name } = await getChangeableRow(tx, caller, id);
    const deletedAt = clock.now();
    await tx.analyticalDatabaseConfig.update({ where: { id }, data: { deletedAt, sealedCredentials: null } });
    await cancelRunning({ tx, clock }, id);
    await recordAudit({ tx, clock }, caller, { action: "database.deleted", targetId: id, detail: { name } });
  });
  // Runs that started before the commit, and too late to be found above.
  await db.transaction((tx) => cancelRunning({ tx, clock }, id));
}

async function cancelRunning(deps: { tx: Tx } & Pick<Deps, "clock">, databaseId: string): Promise<void> {
  const running = await deps.tx.queryRun.findMany({
    where: { status: "running", query: { analyticalDatabaseConfigId: databaseId } },
    select: { id: true },
  });
  await requestCancel(
    deps,
    running.map(({ id }) => id),
  );
}
