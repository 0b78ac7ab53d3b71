import type { Tx } from "@querybell/db";
import { AppError, type Caller, type ReferenceShortId } from "@querybell/domain";
import { lockRow } from "../lock-row.ts";
import type { ReferenceRow } from "./reference-row.ts";

export const referenceNotFound = () =>
  new AppError("not_found", "There is no reference with this short id. It may have been deleted.");

/** The condition that finds a reference: not deleted and, if `isOptimistic` is given, of that kind. */
export const whereReference = ({ organizationId }: Caller, { shortId, isOptimistic }: ReferenceShortId) => ({
  shortId,
  organizationId,
  deletedAt: null,
  ...(isOptimistic !== undefined && { queryId: isOptimistic ? null : { not: null } }),
});

/** Gets the reference with its query and locks it until the transaction ends. */
export async function lockReference(tx: Tx, caller: Caller, named: ReferenceShortId): Promise<ReferenceRow> {
  const { organizationId } = caller;
  await lockRow(tx, { table: "query_references", key: { shortId: named.shortId }, organizationId });
  const row = await tx.queryReference.findFirst({
    where: whereReference(caller, named),
    include: { query: true },
  });
  if (!row) throw referenceNotFound();
  return row;
}
