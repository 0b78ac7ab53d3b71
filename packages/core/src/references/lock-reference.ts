import type { Tx } from "@querybell/db";
import { AppError, type Caller } from "@querybell/domain";
import type { ReferenceRow } from "./reference-row.ts";

export const referenceNotFound = () =>
  new AppError("not_found", "There is no reference with this short id. It may have been deleted.");

/** The reference with its query, unchanged by others until the transaction ends. */
export async function lockReference(
  tx: Tx,
  { organizationId }: Caller,
  shortId: string,
): Promise<ReferenceRow> {
  await tx.$queryRaw`SELECT 1 FROM query_references WHERE short_id = ${shortId} FOR UPDATE`;
  const row = await tx.queryReference.findFirst({
    where: { shortId, organizationId, deletedAt: null },
    include: { query: true },
  });
  if (!row) throw referenceNotFound();
  return row;
}
