import { asService } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { hashToken } from "../identity/secret-token.ts";

interface SharedBucketsOptions {
  deps: Pick<Deps, "db" | "clock">;
  /** Buckets of the same name are the same ones in all processes. */
  name: string;
  /** How many calls a full bucket holds. */
  size: number;
  perMinute: number;
  onError: (error: unknown) => void;
}

export interface SharedBuckets {
  /** How many calls the subject has left now, as far as this process knows. */
  left(subject: string): number;
  /** Counts a call. It may empty the bucket below zero, at most by its size. */
  count(subject: string): void;
  /** Waits until what was counted is written. */
  close(): Promise<void>;
}

interface Bucket {
  left: number;
  /** When `left` was right. */
  at: number;
  /** Calls that the other processes do not know of yet. */
  unsent: number;
}

// What other processes have counted is known after this time at most, or after an eighth of a bucket: so N processes let at
// most N-1 eighths of a bucket too many through at once, and the bucket is then below zero until time has made up for it.
const exchangeEveryMs = 250;
const unsentShare = 1 / 8;
const maxBuckets = 10_000;
/** After a failure. */
const retryAfterMs = 2_000;

/**
 * Token buckets that all api processes share through one table. No call waits for the database: a process counts by itself
 * and exchanges, in one statement for all its callers, what it has counted for what there is left.
 */
export function createSharedBuckets({
  deps: { db, clock },
  name,
  size,
  perMinute,
  onError,
}: SharedBucketsOptions): SharedBuckets {
  const perMs = perMinute / 60_000;
  const maxUnsent = Math.max(1, Math.floor(size * unsentShare));
  const buckets = new Map<string, Bucket>();
  /** Those with calls that are not sent. */
  const unsent = new Map<string, Bucket>();
  let timer: NodeJS.Timeout | undefined;
  let exchanging: Promise<void> | undefined;
  let isFailing = false;
  let isClosed = false;

  const refill = ({ left, at }: Bucket, now: number) => Math.min(size, left + Math.max(0, now - at) * perMs);

  async function exchange(): Promise<void> {
    const sentAt = clock.now().getTime();
    const sent = [...unsent].map(([subject, bucket]) => {
      const count = bucket.unsent;
      bucket.unsent = 0;
      return { subject, bucket, count };
    });
    unsent.clear();
    if (sent.length === 0) return;
    const left = await readLeft(sent).catch((error: unknown) => {
      // Each process goes on by itself, and tells the others later.
      for (const { subject, bucket, count } of sent) {
        bucket.unsent += count;
        unsent.set(subject, bucket);
      }
      onError(error);
    });
    for (const { subject, bucket } of sent) {
      const known = left?.get(subject);
      if (known === undefined) continue;
      bucket.left = known - bucket.unsent;
      bucket.at = sentAt;
    }
    isFailing = left === undefined;
    schedule();
  }

  /** Subtracts what was counted. Returns what is left for each subject. */
  async function readLeft(sent: { subject: string; count: number }[]): Promise<Map<string, number>> {
    const hashes = sent.map(({ subject }) => Buffer.from(hashToken(`${name}:${subject}`)));
    const { rows } = await asService(() =>
      db.pool.query<{ subject: Buffer; left: number }>({
        name: "exchange_call_budgets",
        // In order, so that two processes with the same subjects do not wait for each other.
        text: `
          INSERT INTO call_budgets AS b (subject, calls_left, counted_at)
          SELECT subject, greatest(-$3::float8, $3::float8 - count), querybell_now()
          FROM unnest($1::bytea[], $2::integer[]) AS counted(subject, count) ORDER BY subject
          ON CONFLICT (subject) DO UPDATE SET
            calls_left = greatest(-$3::float8, least($3::float8, b.calls_left
              + greatest(0, extract(epoch FROM excluded.counted_at - b.counted_at)::float8) * $4::float8 / 60)
              - ($3::float8 - excluded.calls_left)),
            counted_at = greatest(b.counted_at, excluded.counted_at)
          RETURNING subject, calls_left AS left`,
        values: [hashes, sent.map(({ count }) => count), size, perMinute],
      }),
    );
    const leftOf = new Map(rows.map((row) => [row.subject.toString("hex"), row.left]));
    return new Map(
      sent.map(({ subject }, at) => [subject, leftOf.get(hashes[at]?.toString("hex") ?? "") ?? size]),
    );
  }

  const startExchange = () => {
    clearTimeout(timer);
    timer = undefined;
    // One at a time: the one that runs schedules the next.
    exchanging ??= exchange().finally(() => {
      exchanging = undefined;
      if (!isFailing && !isClosed && unsent.values().some((bucket) => bucket.unsent >= maxUnsent))
        startExchange();
    });
  };

  const schedule = () => {
    if (timer || isClosed || unsent.size === 0) return;
    timer = setTimeout(startExchange, isFailing ? retryAfterMs : exchangeEveryMs);
    timer.unref();
  };

  const deleteFull = (now: number) => {
    for (const [subject, bucket] of buckets) {
      if (bucket.unsent === 0 && refill(bucket, now) >= size) buckets.delete(subject);
    }
  };

  return {
    left(subject) {
      const bucket = buckets.get(subject);
      return bucket ? refill(bucket, clock.now().getTime()) : size;
    },
    count(subject) {
      const now = clock.now().getTime();
      let bucket = buckets.get(subject);
      if (!bucket) {
        if (buckets.size >= maxBuckets) deleteFull(now);
        bucket = { left: size, at: now, unsent: 0 };
        buckets.set(subject, bucket);
      }
      bucket.left = Math.max(-size, refill(bucket, now) - 1);
      bucket.at = now;
      bucket.unsent++;
      unsent.set(subject, bucket);
      if (bucket.unsent >= maxUnsent && !isFailing) startExchange();
      else schedule();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await exchanging;
      await exchange();
    },
  };
}
