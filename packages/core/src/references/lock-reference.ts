import type { Tx } from "@querybell/db";
import { AppError, type Caller, type ReferenceShortId } from "@querybell/domain";
import type { ReferenceRow } from "./reference-row.ts";

export const referenceNotFound = () =>
  new AppError("not_found", "There is no reference with this short id. It may have been deleted.");

/** What names a reference: it is there, and of the kind that is asked for if one is. */
export const whereReference = ({ organizationId }: Caller, { shortId, isOptimistic }: ReferenceShortId) => ({
  shortId,
  organizationId,
  deletedAt: null,
  ...(isOptimistic !== undefined && { queryId: isOptimistic ? null : { not: null } }),
});

/** The reference with its query, unchanged by others until the transaction ends. */
export async function lockReference(tx: Tx, caller: Caller, named: ReferenceShortId): Promise<ReferenceRow> {
  await tx.$queryRaw`
    SELECT 1 FROM query_references
    WHERE short_id = ${named.shortId} AND organization_id = ${caller.organizationId}::uuid FOR UPDATE`;
  const row = await tx.queryReference.findFirst({
    where: whereReference(caller, named),
    include: { query: true },
  });
  if (!row) throw referenceNotFound();
  return row;
}
