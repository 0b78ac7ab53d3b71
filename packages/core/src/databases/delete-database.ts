import type { Caller, DatabaseId } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { requestCancel } from "../runs/cancel-run.ts";
import { getChangeableRow } from "./get-database.ts";

/**
 * Soft delete, but the credentials are erased. Queries of this database remain. Their runs fail with
 * `database_deleted`: running ones are cancelled, waiting and later ones never start.
 */
export async function deleteDatabase({ db, clock }: Deps, caller: Caller, { id }: DatabaseId): Promise<void> {
  await db.transaction(async (tx) => {
    const { name } = await getChangeableRow(tx, caller, id);
    const deletedAt = clock.now();
    await tx.analyticalDatabaseConfig.update({ where: { id }, data: { deletedAt, sealedCredentials: null } });
    const running = await tx.queryRun.findMany({
      where: { status: "running", query: { analyticalDatabaseConfigId: id } },
      select: { id: true },
    });
    await requestCancel(
      { tx, clock },
      running.map((run) => run.id),
    );
    await recordAudit({ tx, clock }, caller, { action: "database.deleted", targetId: id, detail: { name } });
  });
}
