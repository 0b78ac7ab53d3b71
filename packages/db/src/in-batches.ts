import type { Database } from "./database.ts";

interface Batches {
  days: number;
  batchSize: number;
}

/**
 * Repeats a statement that changes at most `$2` rows older than `$1` days until it finds fewer. Each batch is a
 * transaction of its own. Returns the number of changed rows.
 */
export async function inBatches(
  pool: Database["pool"],
  statement: string,
  { days, batchSize }: Batches,
): Promise<number> {
  for (let changed = 0; ; ) {
    const { rowCount } = await pool.query(statement, [days, batchSize]);
    changed += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return changed;
  }
}
