import { Prisma, type Tx } from "@querybell/db";
import { AppError } from "@querybell/domain";

/** How many references of one query can define parameters: each run looks through the definitions of all. */
export const maxDefiningReferences = 100;

/**
 * Whether the row of a reference has definitions. By its size, which Postgres knows without reading the value:
 * an empty list has 8 bytes, and one definition more than 50.
 */
export const definesParameters = Prisma.sql`pg_column_size(parameters) > 16`;

/**
 * Refuses one more reference with definitions where there are too many. Several that come at once can pass
 * together; a run then leaves the newest of them out.
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
