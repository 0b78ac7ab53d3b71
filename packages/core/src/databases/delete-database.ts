import type { Caller, DatabaseId } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { findDatabase } from "./find-database.ts";

/** Its credentials are gone for good. Its queries stay, and say when they are run that it was deleted. */
export async function deleteDatabase({ db, clock }: Deps, caller: Caller, { id }: DatabaseId): Promise<void> {
  await db.transaction(async (tx) => {
    const { name } = await findDatabase(tx, caller, id);
    const deletedAt = clock.now();
    await tx.analyticalDatabaseConfig.update({ where: { id }, data: { deletedAt, sealedCredentials: null } });
    await recordAudit({ tx, clock }, caller, { action: "database.deleted", targetId: id, detail: { name } });
  });
}
