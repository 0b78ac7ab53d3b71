import type { Caller, DeletedReference, ReferenceShortId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockReference } from "./lock-reference.ts";
import { toDeletedReference } from "./reference-row.ts";

/** Soft delete: the query and its history remain, and the short id is never reused. */
export async function deleteReference(
  { db, clock }: Deps,
  caller: Caller,
  named: ReferenceShortId,
): Promise<DeletedReference> {
  return db.transaction(async (tx) => {
    const { id } = await lockReference(tx, caller, named);
    const deletedAt = clock.now();
    return toDeletedReference(
      await tx.queryReference.update({ where: { id }, data: { deletedAt } }),
      deletedAt,
    );
  });
}
