import { describe, expect } from "vitest";
import { day, days, other, partitionTest as test } from "../testing/attempt-test.ts";
import { waitUntilBlocked, whileOtherTransaction } from "../testing/other-transaction.ts";
import { createAttemptPartitions, dropAttemptPartitions } from "./attempt-partitions.ts";
import { purgeWebhookHistory } from "./purge-history.ts";

const names = async (attempts: { partitions(): Promise<{ name: string }[]> }) =>
  (await attempts.partitions()).map(({ name }) => name);

const resend = `
  INSERT INTO webhook_deliveries (id, event_id, endpoint_id, round, state, next_attempt_at, created_at, state_changed_at)
  SELECT uuidv7(querybell_now() - now()), event_id, endpoint_id, 1, $2, querybell_now(), querybell_now(), querybell_now()
  FROM webhook_deliveries WHERE id = $1`;

describe("a purge", () => {
  test("drops a partition whose period has ended, and keeps the attempts of what is unfinished or has changed in the period", async ({
    db,
    clock,
    attempts,
    partition,
  }) => {
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
    await db.pool.query(resend, [resent, "succeeded"]);
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
  });

  test("drops several partitions when the period becomes shorter, and none while it is longer", async ({
    db,
    clock,
    attempts,
    partition,
  }) => {
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
  });

  test("deletes rows of a partition that is long because the period was", async ({ db, clock, attempts }) => {
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
  });

  test("by two workers at once keeps each row once", async ({ db, clock, attempts, partition }) => {
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

  test("keeps an event that is resent while its batch is being deleted", async ({ db, clock, attempts }) => {
    const old = await attempts.add();
    await clock.advance((days + 4) * day);
    let purging: Promise<unknown> | undefined;
    await whileOtherTransaction(db.pool, { has: resend, values: [old, "pending"] }, async () => {
      purging = purgeWebhookHistory(db.pool, { days });
      await waitUntilBlocked(db.pool, purging);
    });
    expect(await purging).toMatchObject({ events: 0 });
    const ofEvent = { event: { deliveries: { some: { id: old } } } };
    expect(await db.prisma.webhookDelivery.count({ where: ofEvent })).toBe(2);
  });

  test("leaves a partition that is being written for later, and keeps what was written", async ({
    db,
    clock,
    attempts,
    partition,
  }) => {
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
  });

  test("that ends at any step is continued by the next one", async ({ db, clock, attempts, partition }) => {
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
  });

  test("waits two days for deliveries that end; then it deletes rows", async ({
    db,
    clock,
    attempts,
    partition,
  }) => {
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
  });
});
