import type { Prisma, Tx } from "@querybell/db";
import { AppError, type Caller } from "@querybell/domain";
import { lockRow } from "../lock-row.ts";

export const queryNotFound = () => new AppError("not_found", "There is no such query in this organization.");

/** Gets the query and locks it: no other transaction changes, runs or refreshes it until this one ends. */
export async function lockQuery(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<Prisma.QueryModel> {
  await lockRow(tx, { table: "queries", key: { id }, organizationId });
  const row = await tx.query.findFirst({ where: { id, organizationId, deletedAt: null } });
  if (!row) throw queryNotFound();
  return row;
}
