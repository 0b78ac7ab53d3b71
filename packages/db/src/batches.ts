import { lowestIdAt } from "@querybell/domain";
import type { Pool } from "./database.ts";

interface OldRows {
  table: string;
  /** Rows that were created before this time. */
  before: Date;
  /** If set, only rows created before this earlier time. The condition still compares with `before`. */
  createdBefore?: Date;
  /**
   * The SQL condition on a row `r` for deleting it. `$3` is `before`. A condition on other tables must be a
   * subquery that returns one value: for EXISTS, Postgres may read and hash a whole table.
   */
  condition: string;
  /** Small, so that no lock is held for long. */
  batchSize: number;
}

/**
 * Deletes old rows in batches, each in one transaction, in the order of the primary key: ids begin with the
 * time of creation. Each batch begins after the last one, so rows that are kept are read once. In REPEATABLE
 * READ, a batch is repeated if a concurrent transaction has changed its rows. Returns the number of deleted
 * rows.
 */
export async function deleteOldRows(
  database: Pick<Pool, "query">,
  { table, before, createdBefore = before, condition, batchSize }: OldRows,
): Promise<number> {
  const text = `
    WITH old AS MATERIALIZED (
      SELECT r.id, ${condition} AS is_deleted FROM ${table} r WHERE r.id > $1 AND r.id < $2 ORDER BY r.id LIMIT ${batchSize}
    ), deleted AS (
      DELETE FROM ${table} WHERE id IN (SELECT id FROM old WHERE is_deleted) RETURNING id
    )
    SELECT (SELECT count(*) FROM deleted)::int AS deleted, count(*)::int AS found, (array_agg(id ORDER BY id DESC))[1] AS last
    FROM old`;
  const end = lowestIdAt(createdBefore);
  let total = 0;
  for (let after: string | null = lowestIdAt(new Date(0)); after !== null; ) {
    const values: unknown[] = [after, end, before];
    const { rows }: { rows: Batch[] } = await untilUndisturbed(() => database.query<Batch>(text, values));
    const batch: Batch | undefined = rows[0];
    total += batch?.deleted ?? 0;
    after = batch && batch.found === batchSize ? batch.last : null;
  }
  return total;
}

interface Batch {
  deleted: number;
  found: number;
  last: string | null;
}

const tries = 5;
const serializationFailure = "40001";

async function untilUndisturbed<T>(deleteBatch: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await deleteBatch();
    } catch (error) {
      const isDisturbed = error instanceof Error && "code" in error && error.code === serializationFailure;
      if (!isDisturbed || count === tries) throw error;
    }
  }
}

interface Batches {
  days: number;
  batchSize: number;
}

/**
 * Repeats a statement that changes at most `$2` rows older than `$1` days until it finds fewer. Each batch is
 * one transaction. Returns the number of changed rows.
 */
export async function inBatches(
  pool: Pool,
  statement: string,
  { days, batchSize }: Batches,
): Promise<number> {
  for (let changed = 0; ; ) {
    const { rowCount } = await pool.query(statement, [days, batchSize]);
    changed += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return changed;
  }
}
