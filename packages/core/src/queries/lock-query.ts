import type { Prisma, Tx } from "@querybell/db";
import { AppError, type Caller } from "@querybell/domain";

export const queryNotFound = () => new AppError("not_found", "There is no such query in this organization.");

/** The query, which nobody else changes, runs or refreshes until the transaction ends. */
export async function lockQuery(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<Prisma.QueryModel> {
  await tx.$queryRaw`
    SELECT 1 FROM queries WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid FOR UPDATE`;
  const row = await tx.query.findFirst({ where: { id, organizationId, deletedAt: null } });
  if (!row) throw queryNotFound();
  return row;
}
