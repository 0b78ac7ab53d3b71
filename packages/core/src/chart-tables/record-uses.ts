import type { Prisma, Tx } from "@querybell/db";
import { AppError } from "@querybell/domain";
import { findChartNames, findCharts } from "./find-charts.ts";

type SavedQuery = Pick<Prisma.QueryModel, "id" | "organizationId" | "sql">;

/**
 * Writes which charts a query reads, with its statement: those that its author sees. It reads no others. Refuses a query
 * that would read its own result. Of two queries that are saved at once and read each other, the second one sees the first.
 */
export async function recordUses(
  tx: Tx,
  { id, organizationId, sql }: SavedQuery,
  { holdsUploads }: Pick<Prisma.AnalyticalDatabaseConfigModel, "holdsUploads">,
): Promise<void> {
  const names = holdsUploads ? findChartNames(sql) : [];
  if (names.length === 0) {
    await tx.queryUse.deleteMany({ where: { queryId: id } });
    return;
  }
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('query_uses:' || ${organizationId}, 0))`;
  const charts = await findCharts(tx, { organizationId, names });
  for (const { name, queryId } of charts) {
    if (await reads(tx, queryId, id)) {
      throw new AppError(
        "invalid_sql",
        `charts.${name} reads the result of this query, so the query cannot read charts.${name}. Leave one of the two out.`,
      );
    }
  }
  await tx.queryUse.deleteMany({ where: { queryId: id } });
  await tx.queryUse.createMany({
    data: charts.map(({ referenceId }) => ({ queryId: id, referenceId, organizationId })),
  });
}

/** Whether a query is another one, or reads its result, directly or through further charts. */
async function reads(tx: Tx, queryId: string, other: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ reads: boolean }[]>`
    WITH RECURSIVE read AS (
      SELECT ${queryId}::uuid AS query_id
      UNION
      SELECT r.query_id FROM read
        JOIN query_uses u ON u.query_id = read.query_id
        JOIN query_references r ON r.id = u.reference_id AND r.query_id IS NOT NULL
    )
    SELECT EXISTS (SELECT FROM read WHERE query_id = ${other}::uuid) AS reads`;
  return row?.reads ?? false;
}
