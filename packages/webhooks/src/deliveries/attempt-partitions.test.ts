import { type Database, openDatabase } from "@querybell/db";
import { describe, expect } from "vitest";
import { day, days, hour, other, partitionTest, attemptTest as test } from "../testing/attempt-test.ts";
import { createAttemptPartitions } from "./attempt-partitions.ts";
import { findDeliveries, findDelivery } from "./find-deliveries.ts";
import { purgeWebhookHistory } from "./purge-history.ts";

describe("creating partitions", () => {
  test("happens ahead of time, and once", async ({ db, clock, attempts }) => {
    await createAttemptPartitions(db.pool, { days });
    await clock.advance(5 * day);
    expect(await createAttemptPartitions(db.pool, { days })).toBeGreaterThan(0);
    expect(await createAttemptPartitions(db.pool, { days })).toBe(0);
    await clock.advance(5 * day);
    expect(await attempts.partitionOf(await attempts.add())).toMatch(/_\d{4}_\d{2}_\d{2}_\d{2}$/);
    await createAttemptPartitions(db.pool, { days });
    const { rows } = await db.pool.query(
      "SELECT attname AS column FROM pg_stats WHERE tablename = 'webhook_attempts' AND inherited",
    );
    expect(rows).toContainEqual({ column: "delivery_id" });
  });

  test("that did not happen loses nothing and makes no write fail; later attempts have a partition again", async ({
    db,
    clock,
    attempts,
  }) => {
    await clock.advance(50 * day);
    const misplaced = await attempts.add();
    expect(await attempts.partitionOf(misplaced)).toBe(other);
    // None for the time that has passed.
    expect(await createAttemptPartitions(db.pool, { days })).toBe(2);
    expect(await attempts.partitionOf(misplaced)).toBe(other);
    await clock.advance(hour);
    const placed = await attempts.add();
    expect(await attempts.partitionOf(placed)).not.toBe(other);

    await clock.advance((days + 5) * day);
    await purgeWebhookHistory(db.pool, { days });
    for (const id of [misplaced, placed]) {
      expect(await attempts.exists(id)).toBe(false);
      expect(await attempts.of(id)).toEqual([]);
    }
  });

  test("by several processes at once creates each partition once", async ({ db, clock, attempts }) => {
    await clock.advance(20 * day);
    const before = await attempts.partitions();
    const created = await Promise.allSettled([1, 2, 3].map(() => createAttemptPartitions(db.pool, { days })));
    // Who waited for too long has created none.
    const counts = created.map((answer) => (answer.status === "fulfilled" ? answer.value : 0));
    expect(counts.filter((count) => count > 0)).toEqual([
      (await attempts.partitions()).length - before.length,
    ]);
  });

  test("gives up soon while somebody holds the table, and succeeds after that", async ({ db, clock }) => {
    await clock.advance(20 * day);
    const holder = await db.pool.connect();
    await holder.query("BEGIN; SELECT FROM webhook_attempts LIMIT 1");
    await expect(createAttemptPartitions(db.pool, { days })).rejects.toThrow("locked for too long");
    await holder.query("COMMIT");
    holder.release();
    expect(await createAttemptPartitions(db.pool, { days })).toBeGreaterThan(0);
  });

  test("follows the retention period", async ({ db, clock, attempts }) => {
    for (const [period, width] of [
      [1, 1],
      [45, 5],
      [365, 37],
    ] as const) {
      await clock.advance(40 * day);
      await createAttemptPartitions(db.pool, { days: period });
      expect((await attempts.partitions()).at(-1)?.days).toBe(width);
      await clock.advance(40 * day);
    }
  });
});

test("a partition's days have 24 hours in every time zone", async ({ db, clock, attempts }) => {
  await clock.advance(400 * day);
  const client = await db.pool.connect();
  await client.query("SET timezone = 'Europe/Berlin'");
  // Within 300 days its clocks change at least once, and within 100 at most once.
  await client.query("SELECT create_webhook_attempt_partitions(100)");
  client.release(true);
  expect((await attempts.partitions()).slice(-3).map((partition) => partition.days)).toEqual([100, 100, 100]);
});

partitionTest(
  "reading deliveries looks for attempts only in the partitions that can have them",
  async ({ clock, databaseUrl, endpoint, attempts, partition }) => {
    const id = await attempts.add();
    await clock.advance(4 * day);
    const next = await attempts.add();
    /** The partitions that were read, by a connection that did nothing else. */
    const readBy = async (work: (pool: Database["pool"]) => Promise<unknown>): Promise<string[]> => {
      await using opened = new AsyncDisposableStack();
      const { pool, close } = openDatabase({
        url: databaseUrl,
        poolSize: 1,
        onConnectionError: console.error,
      });
      opened.defer(close);
      await pool.query("BEGIN");
      await work(pool);
      const { rows } = await pool.query<{ name: string }>(
        `SELECT relname AS name FROM pg_stat_xact_user_tables
         WHERE schemaname = 'partitions' AND seq_scan + coalesce(idx_scan, 0) > 0`,
      );
      await pool.query("COMMIT");
      return rows.map(({ name }) => name);
    };
    const { organizationId } = endpoint;
    expect(await readBy((pool) => findDelivery(pool, { id, organizationId }))).toEqual([partition]);
    const newest = { organizationId, limit: 1, beforeId: undefined };
    expect(await readBy((pool) => findDeliveries(pool, newest))).toEqual([await attempts.partitionOf(next)]);
  },
);
