import type { Pool } from "@querybell/db";
import { lowestIdAt } from "@querybell/domain";

// Attempts are in partitions by the time at which their delivery was created (docs/decisions/attempt-partitions.md).

const dayMs = 24 * 3_600_000;
/** About how many partitions a retention period has. Few: each statement on attempts locks all of them. */
const partitionsOfPeriod = 10;
/** Each try waits up to a tenth of a second for its locks, and writers wait meanwhile. */
const tries = 5;
/** The attempts of a delivery take about 36 hours. After that a partition has only few deliveries that are still needed. */
const overdueAfterMs = 2 * dayMs;

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
 * Drops the partitions that end before the retention period of `days` begins. Attempts of events that are
 * still needed are kept. Returns the number of dropped partitions, and the time before which events may be
 * deleted: events of a partition that is kept for now are kept too.
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
    const isOverdue = endsAt.getTime() + overdueAfterMs <= before.getTime();
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

interface Partition {
  name: string;
  /** Null for the first one. */
  beginsAt: Date | null;
  endsAt: Date;
}

/** SQL that is null unless an event has a delivery that is unfinished or has changed since a time. */
export const neededDelivery = (eventId: string, since: string): string => `
  (SELECT true FROM webhook_deliveries needed
   WHERE needed.event_id = ${eventId} AND (needed.state IN ('pending', 'held') OR needed.state_changed_at >= ${since}) LIMIT 1)`;

const batchSize = 500;
/** The maximum number of rows to move, because writers wait meanwhile. */
const maxRows = 1_000;

interface Batch {
  kept: string[];
  rows: number;
  found: number;
  last: string;
}

/**
 * The deliveries of a partition whose events a purge keeps; undefined if they have too many attempts. Only
 * unfinished deliveries get new attempts, and those are kept, so no new attempt is lost when the partition is
 * dropped. Old attempts of an event that is resent meanwhile are not kept. Newest first, because new
 * deliveries are more likely to have changed since.
 */
async function findKeptDeliveries(
  pool: Pool,
  { beginsAt, endsAt }: Partition,
  before: Date,
): Promise<string[] | undefined> {
  const [begin, end] = [lowestIdAt(beginsAt ?? new Date(0)), lowestIdAt(endsAt)];
  const kept: string[] = [];
  let rows = 0;
  for (let below: string | undefined = end; below !== undefined; ) {
    const answer: { rows: Batch[] } = await pool.query<Batch>(findBatch, [begin, below, end, before]);
    const batch: Batch | undefined = answer.rows[0];
    kept.push(...(batch?.kept ?? []));
    rows += batch?.rows ?? 0;
    if (rows > maxRows) return undefined;
    below = batch?.found === batchSize ? batch.last : undefined;
  }
  return kept;
}

// An event may be a little younger than its delivery, because the clocks of processes differ.
const findBatch = `
  WITH batch AS MATERIALIZED (
    SELECT d.id, d.attempt_count, d.event_id >= $3 OR ${neededDelivery("d.event_id", "$4")} IS NOT NULL AS is_kept
    FROM webhook_deliveries d WHERE d.id >= $1 AND d.id < $2 ORDER BY d.id DESC LIMIT ${batchSize})
  SELECT coalesce(array_agg(id) FILTER (WHERE is_kept), '{}') AS kept,
    coalesce(sum(attempt_count + 1) FILTER (WHERE is_kept), 0)::int AS rows,
    count(*)::int AS found, (array_agg(id ORDER BY id))[1] AS last
  FROM batch`;
