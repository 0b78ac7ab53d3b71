import { type Database, openDatabase } from "@querybell/db";
import type { WebhookDeliveryState } from "@querybell/domain";
import { describe, expect } from "vitest";
import { pumpTest } from "../testing/pump-test.ts";
import { createAttemptPartitions, dropAttemptPartitions } from "./attempt-partitions.ts";
import { findDeliveries, findDelivery } from "./find-deliveries.ts";
import { purgeWebhookHistory } from "./purge-history.ts";

const hour = 3_600_000;
const day = 24 * hour;
const days = 30;

interface Added {
  state?: WebhookDeliveryState;
  attempts?: number;
  count?: number;
}

const test = pumpTest
  .extend("endpoint", { scope: "file" }, async ({ hooks }) => {
    const owner = await hooks.owner();
    return { ...owner, ...(await hooks.endpoint(owner, "https://example.test/")) };
  })
  .extend("attempts", { scope: "file" }, ({ db, endpoint }) => {
    const { pool } = db;
    return {
      /** Adds events of now with a delivery each, and its attempts. Their bodies are too large for a page of Postgres. */
      async add({ state = "succeeded", attempts = 2, count = 1 }: Added = {}): Promise<string> {
        const { rows } = await pool.query<{ id: string }>(
          `WITH event AS (
             INSERT INTO webhook_events (id, organization_id, type, body, created_at)
             SELECT uuidv7(querybell_now() - now()), $1, 'automation.run.completed', '', querybell_now()
             FROM generate_series(1, $2) RETURNING id
           ), delivery AS (
             INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, attempt_count, next_attempt_at, created_at,
               state_changed_at)
             SELECT uuidv7(querybell_now() - now()), id, $3, $4, $5, querybell_now(), querybell_now(), querybell_now()
             FROM event RETURNING id
           ), attempt AS (
             INSERT INTO webhook_attempts (delivery_id, number, outcome, sentence, started_at, ended_at, reused_connection,
               request_headers, secret_id, response_body, total_ms)
             SELECT id, n, 'success', 'It was answered.', querybell_now(), querybell_now(), true, '[]', $6,
               CASE WHEN $2 = 1 THEN (SELECT string_agg(uuid_send(gen_random_uuid()), '') FROM generate_series(1, 256)) END, 1
             FROM delivery, generate_series(1, $5::int) n
           )
           SELECT id FROM delivery`,
          [endpoint.organizationId, count, endpoint.id, state, attempts, endpoint.secret.id],
        );
        return rows[0]?.id ?? "";
      },
      /** The attempts of a delivery. */
      of: async (deliveryId: string) =>
        (
          await pool.query("SELECT * FROM webhook_attempts WHERE delivery_id = $1 ORDER BY number", [
            deliveryId,
          ])
        ).rows,
      /** The partition that has the attempts of a delivery. */
      async partitionOf(deliveryId: string): Promise<string | undefined> {
        const { rows } = await pool.query<{ name: string }>(
          `SELECT DISTINCT c.relname AS name FROM webhook_attempts a JOIN pg_class c ON c.oid = a.tableoid
           WHERE delivery_id = $1`,
          [deliveryId],
        );
        return rows[0]?.name;
      },
      async partitions(): Promise<{ name: string; days: number }[]> {
        const { rows } = await pool.query<{ name: string; days: number }>(
          `SELECT name, (extract(epoch FROM ends_at - begins_at) / 86400)::float AS days
           FROM partitions.webhook_attempt_partitions ORDER BY ends_at`,
        );
        return rows;
      },
      exists: async (deliveryId: string) =>
        (await db.prisma.webhookDelivery.count({ where: { id: deliveryId } })) === 1,
    };
  });

const other = "webhook_attempts_other";

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

/** A partition that begins within the hour, and the time at which it ends. */
const atNewPartition = test.extend("partition", async ({ db, clock, attempts }) => {
  await db.pool.query("DELETE FROM webhook_events");
  await clock.advance(400 * day);
  await purgeWebhookHistory(db.pool, { days: 1 });
  await createAttemptPartitions(db.pool, { days });
  await clock.advance(hour);
  const [first] = await attempts.partitions();
  if (!first) throw new Error("No partition was created.");
  return first.name;
});

const names = async (attempts: { partitions(): Promise<{ name: string }[]> }) =>
  (await attempts.partitions()).map(({ name }) => name);

atNewPartition(
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

describe("a purge", () => {
  atNewPartition(
    "drops a partition whose period has ended, and keeps the attempts of what is unfinished or has changed in the period",
    async ({ db, clock, attempts, partition }) => {
      const finished = await attempts.add();
      const pending = await attempts.add({ state: "pending" });
      const [changed, resent] = [await attempts.add(), await attempts.add()];
      const younger = await attempts.add();
      const kept = [pending, changed, resent, younger];
      expect(await attempts.partitionOf(finished)).toBe(partition);
      const rows = await Promise.all(kept.map(attempts.of));
      // The clock of the process that emitted it was ahead: its id is one of the next partition.
      await db.pool.query(
        `UPDATE webhook_events SET id = lowest_id_at(querybell_now() + interval '3 days')
         WHERE id = (SELECT event_id FROM webhook_deliveries WHERE id = $1)`,
        [younger],
      );

      await clock.advance(10 * day);
      const stateChangedAt = clock.now();
      await db.prisma.webhookDelivery.update({ where: { id: changed }, data: { stateChangedAt } });
      await db.pool.query(
        `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, round, state, next_attempt_at, created_at, state_changed_at)
         SELECT uuidv7(querybell_now() - now()), event_id, endpoint_id, 1, 'succeeded', querybell_now(), querybell_now(),
           querybell_now() FROM webhook_deliveries WHERE id = $1`,
        [resent],
      );
      // The period of its rows has ended, that of the partition has not.
      await clock.advance((days - 8) * day);
      await purgeWebhookHistory(db.pool, { days });
      expect([await attempts.exists(finished), await names(attempts)]).toEqual([
        true,
        expect.arrayContaining([partition]),
      ]);

      await clock.advance(2 * day);
      expect(await purgeWebhookHistory(db.pool, { days })).toMatchObject({ attemptPartitions: 1, events: 1 });
      expect(await names(attempts)).not.toContain(partition);
      expect([await attempts.exists(finished), await attempts.of(finished)]).toEqual([false, []]);
      expect(await Promise.all(kept.map(attempts.partitionOf))).toEqual(kept.map(() => other));
      expect(await Promise.all(kept.map(attempts.of))).toEqual(rows);

      // Rows that were kept are deleted with their deliveries.
      await clock.advance(days * day);
      await purgeWebhookHistory(db.pool, { days });
      expect(await Promise.all(kept.map(attempts.exists))).toEqual([true, false, false, false]);
      expect(await attempts.of(changed)).toEqual([]);
      expect(await attempts.of(pending)).toEqual(rows[0]);
      await db.prisma.webhookDelivery.delete({ where: { id: pending } });
      expect(await attempts.of(pending)).toEqual([]);
    },
  );

  atNewPartition(
    "drops several partitions when the period becomes shorter, and none while it is longer",
    async ({ db, clock, attempts, partition }) => {
      const old = await attempts.add();
      await clock.advance(4 * day);
      await attempts.add();
      await clock.advance(10 * day);
      expect(await purgeWebhookHistory(db.pool, { days: 365 })).toMatchObject({
        attemptPartitions: 0,
        events: 0,
      });
      expect(await purgeWebhookHistory(db.pool, { days: 7 })).toMatchObject({
        attemptPartitions: 2,
        events: 2,
      });
      expect(await names(attempts)).not.toContain(partition);
      expect(await attempts.exists(old)).toBe(false);
    },
  );

  atNewPartition(
    "deletes rows of a partition that is long because the period was",
    async ({ db, clock, attempts }) => {
      await clock.advance(10 * day);
      await createAttemptPartitions(db.pool, { days: 365 });
      await clock.advance(20 * day);
      const [finished, pending] = [await attempts.add(), await attempts.add({ state: "pending" })];
      const partition = await attempts.partitionOf(finished);
      await clock.advance(8 * day);
      expect(await purgeWebhookHistory(db.pool, { days: 7 })).toMatchObject({ events: 1 });
      expect([await attempts.exists(finished), await attempts.partitionOf(pending)]).toEqual([
        false,
        partition,
      ]);
    },
  );

  atNewPartition("by two workers at once keeps each row once", async ({ db, clock, attempts, partition }) => {
    const pending = await attempts.add({ state: "pending" });
    const finished = await attempts.add();
    const rows = await attempts.of(pending);
    await clock.advance((days + 4) * day);
    const purged = await Promise.all([1, 2, 3].map(() => purgeWebhookHistory(db.pool, { days })));
    expect(purged.map(({ events }) => events).sort()).toEqual([0, 0, 1]);
    // As of a worker that found the partition before another one dropped it.
    const late = await db.pool.query("SELECT drop_webhook_attempt_partition($1, $2) AS dropped", [
      partition,
      [pending],
    ]);
    expect(late.rows).toEqual([{ dropped: true }]);
    expect(await attempts.of(pending)).toEqual(rows);
    expect(await attempts.exists(finished)).toBe(false);
  });

  atNewPartition(
    "leaves a partition that is being written for later, and keeps what was written",
    async ({ db, clock, attempts, partition }) => {
      const pending = await attempts.add({ state: "pending", attempts: 1 });
      const finished = await attempts.add();
      await clock.advance((days + 4) * day);
      const writer = await db.pool.connect();
      await writer.query("BEGIN");
      await writer.query(
        `INSERT INTO webhook_attempts (delivery_id, number, outcome, sentence, started_at, ended_at, reused_connection,
         request_headers, secret_id, total_ms)
       SELECT delivery_id, 2, outcome, sentence, started_at, ended_at, reused_connection, request_headers, secret_id, total_ms
       FROM webhook_attempts WHERE delivery_id = $1`,
        [pending],
      );
      expect(await purgeWebhookHistory(db.pool, { days })).toMatchObject({ attemptPartitions: 0, events: 0 });
      expect(await attempts.of(finished)).toHaveLength(2);
      await writer.query("COMMIT");
      writer.release();
      expect(await purgeWebhookHistory(db.pool, { days })).toMatchObject({ attemptPartitions: 1, events: 1 });
      expect(await attempts.of(pending)).toHaveLength(2);
      expect(await names(attempts)).not.toContain(partition);
    },
  );

  atNewPartition(
    "that ends at any step is continued by the next one",
    async ({ db, clock, attempts, partition }) => {
      const pending = await attempts.add({ state: "pending" });
      const finished = await attempts.add();
      const rows = await attempts.of(pending);
      await clock.advance((days + 4) * day);
      const client = await db.pool.connect();
      await client.query("BEGIN");
      await client.query("SELECT drop_webhook_attempt_partition($1, $2)", [partition, [pending]]);
      // Closes the connection.
      client.release(true);
      expect(await attempts.of(finished)).toHaveLength(2);

      const before = new Date(clock.now().getTime() - days * day);
      expect(await dropAttemptPartitions(db.pool, { before, days })).toMatchObject({ dropped: 1 });
      expect(await attempts.of(pending)).toEqual(rows);
      expect(await purgeWebhookHistory(db.pool, { days })).toMatchObject({ attemptPartitions: 0, events: 1 });
    },
  );

  atNewPartition(
    "waits two days for deliveries that end; then it deletes rows",
    async ({ db, clock, attempts, partition }) => {
      const finished = await attempts.add();
      const pending = await attempts.add({ state: "pending", attempts: 1, count: 1_001 });
      await clock.advance((days + 4) * day);
      expect(await purgeWebhookHistory(db.pool, { days })).toMatchObject({ attemptPartitions: 0, events: 0 });
      await clock.advance(2 * day);
      expect(await purgeWebhookHistory(db.pool, { days })).toMatchObject({ events: 1 });
      expect(await attempts.of(finished)).toEqual([]);
      expect(await attempts.partitionOf(pending)).toBe(partition);
      await db.pool.query("UPDATE webhook_deliveries SET state = 'cancelled' WHERE state = 'pending'");
      expect(await purgeWebhookHistory(db.pool, { days })).toMatchObject({
        attemptPartitions: 1,
        events: 1_001,
      });
    },
  );
});
