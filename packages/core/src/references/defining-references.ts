import { Prisma, type Tx } from "@querybell/db";
import { AppError } from "@querybell/domain";

/** The maximum number of references of one query that define parameters. Every run reads all of them. */
export const maxDefiningReferences = 100;

/**
 * SQL: whether a reference defines parameters. Compares the size, which Postgres knows without reading the value: an
 * empty list has 8 bytes, and one definition has more than 50.
 */
export const definesParameters = Prisma.sql`pg_column_size(parameters) > 16`;

/**
 * Throws if the query has the maximum number of defining references. Concurrent calls can exceed it; a run then ignores
 * the newest ones.
 */
export async function refuseTooManyDefining(tx: Tx, queryId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM query_references
    WHERE query_id = ${queryId}::uuid AND deleted_at IS NULL AND ${definesParameters}
    LIMIT ${maxDefiningReferences}`;
  if (rows.length < maxDefiningReferences) return;
  throw new AppError(
    "conflict",
    `This query has ${maxDefiningReferences} references with parameters, and cannot have more. Delete one, or leave the parameters out: the other references define them for this one too.`,
  );
}
