import type { Pool } from "../pool.ts";
import { findKeptDeliveries, type Partition } from "./kept-deliveries.ts";

// Attempts are in partitions by the time at which their delivery was created (docs/decisions/attempt-partitions.md).

const dayMs = 24 * 3_600_000;
/** About so many for a retention period: each statement about attempts locks all of them. */
const partitionsOfPeriod = 10;
/** Each waits for its locks for a tenth of a second, and writers wait meanwhile. */
const tries = 5;
/** All attempts of a delivery take about 36 hours. After that a partition has only few deliveries that are still needed. */
const attemptsTakeMs = 2 * dayMs;

const widthDays = (periodDays: number): number => Math.ceil(periodDays / partitionsOfPeriod);

/** Creates the partition of now and the next two, where they are missing. Returns the number of created ones. */
export async function createAttemptPartitions(pool: Pool, { days }: { days: number }): Promise<number> {
  for (let count = 0; count < tries; count++) {
    const { rows } = await pool.query<{ created: number | null }>(
      "SELECT create_webhook_attempt_partitions($1) AS created",
      [widthDays(days)],
    );
    const created = rows[0]?.created ?? null;
    if (created === null) continue;
    // Postgres keeps the statistics of each partition up to date, but not those of the whole table.
    if (created > 0) await pool.query("ANALYZE ONLY webhook_attempts");
    return created;
  }
  throw new Error("The partitions of webhook attempts were locked for too long. The next job tries again.");
}

/**
 * Drops the partitions that end before the time at which a retention period of so many days begins. Attempts of events
 * that are still needed are kept. Returns the number of dropped ones, and the time before which events are to be deleted:
 * where a partition is left for later as a whole, its events are too.
 */
export async function dropAttemptPartitions(
  pool: Pool,
  { before, days }: { before: Date; days: number },
): Promise<{ dropped: number; eventsBefore: Date }> {
  const { rows: partitions } = await pool.query<Partition>(
    `SELECT name, begins_at AS "beginsAt", ends_at AS "endsAt" FROM partitions.webhook_attempt_partitions
     WHERE begins_at IS NULL OR begins_at <= $1 ORDER BY ends_at`,
    [before],
  );
  let dropped = 0;
  for (const partition of partitions) {
    const { beginsAt, endsAt } = partition;
    if (endsAt <= before && (await dropPartition(pool, partition, before))) {
      dropped++;
      continue;
    }
    const isOverdue = endsAt.getTime() + attemptsTakeMs <= before.getTime();
    // The first partition has all history of an older release, and others are long if the period was longer once.
    const isLong = !beginsAt || endsAt.getTime() - beginsAt.getTime() > widthDays(days) * dayMs;
    if (!isOverdue && !isLong) return { dropped, eventsBefore: beginsAt };
  }
  return { dropped, eventsBefore: before };
}

async function dropPartition(pool: Pool, partition: Partition, before: Date): Promise<boolean> {
  const kept = await findKeptDeliveries(pool, partition, before);
  for (let count = 0; kept && count < tries; count++) {
    const { rows } = await pool.query<{ isDropped: boolean }>(
      `SELECT drop_webhook_attempt_partition($1, $2) AS "isDropped"`,
      [partition.name, kept],
    );
    if (rows[0]?.isDropped) return true;
  }
  return false;
}
