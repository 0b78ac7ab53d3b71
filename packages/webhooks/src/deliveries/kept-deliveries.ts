import { lowestIdAt } from "@querybell/domain";
import type { Pool } from "../pool.ts";

export interface Partition {
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
/** Rows are moved while writers wait, so there may be only so many. */
const maxRows = 1_000;

interface Batch {
  kept: string[];
  rows: number;
  found: number;
  last: string;
}

/**
 * The deliveries of a partition whose events a purge keeps; undefined if they have too many attempts. Nothing but
 * unfinished deliveries gets attempts, and these are kept: until the partition is dropped, it gets no attempts that would
 * be lost. Old attempts of an event that is resent meanwhile are not kept. The newest come first, because they are the
 * ones that may have changed later.
 */
export async function findKeptDeliveries(
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

// An event may be a little younger than its delivery, because processes have clocks of their own.
const findBatch = `
  WITH batch AS MATERIALIZED (
    SELECT d.id, d.attempt_count, d.event_id >= $3 OR ${neededDelivery("d.event_id", "$4")} IS NOT NULL AS is_kept
    FROM webhook_deliveries d WHERE d.id >= $1 AND d.id < $2 ORDER BY d.id DESC LIMIT ${batchSize})
  SELECT coalesce(array_agg(id) FILTER (WHERE is_kept), '{}') AS kept,
    coalesce(sum(attempt_count + 1) FILTER (WHERE is_kept), 0)::int AS rows,
    count(*)::int AS found, (array_agg(id ORDER BY id))[1] AS last
  FROM batch`;
