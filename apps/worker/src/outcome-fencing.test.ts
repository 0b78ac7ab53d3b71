import { claimDue, recordOutcomes, renewLease, takeEndpoints } from "@querybell/webhooks/testing";
import { describe, expect } from "vitest";
import { pumpStepsTest as test } from "./testing/pump-steps-test.ts";

type Pool = Parameters<typeof recordOutcomes>[0];

const expire = (pool: Pool, pumpId: string) =>
  pool.query("UPDATE webhook_pumps SET lease_until = now() - interval '1 second' WHERE id = $1", [pumpId]);

const isRegistered = async (pool: Pool, pumpId: string) =>
  (await pool.query("SELECT FROM webhook_pumps WHERE id = $1", [pumpId])).rowCount === 1;

/** Returns when a statement of ours waits for a lock, or when it has not and is over. */
async function untilItWaits(pool: Pool, statement: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = statement.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    const { rowCount } = await pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (rowCount) return;
  }
}

/** Does something while a transaction of somebody else has run a statement and not ended. */
async function whileAnother(
  pool: Pool,
  { has, values }: { has: string; values: unknown[] },
  meanwhile: () => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(has, values);
    await meanwhile();
    await client.query("COMMIT");
  } finally {
    // Does nothing after the COMMIT.
    await client.query("ROLLBACK");
    client.release();
  }
}

describe("the outcome of an attempt", () => {
  test("that is written twice counts once", async ({ steps }) => {
    const { pool, written } = steps;
    const pumpId = await steps.pump();
    const batch = [await steps.lastOutcome()];
    expect(await recordOutcomes(pool, pumpId, batch)).toEqual({ alive: true, disabled: [] });
    const once = await written();
    expect(once).toMatchObject({
      deliveries: [{ state: "exhausted", attemptCount: 8, attempts: [{ number: 8 }] }],
      endpoint: { consecutiveFailures: 1 },
      notifications: 1,
    });
    expect(await recordOutcomes(pool, pumpId, batch)).toEqual({ alive: true, disabled: [] });
    expect(await written()).toEqual(once);
  });

  test("that is not of the delivery's next attempt is not written", async ({ steps }) => {
    const pumpId = await steps.pump();
    const before = await steps.written();
    await recordOutcomes(steps.pool, pumpId, [steps.outcome({ number: 3 })]);
    expect(await steps.written()).toEqual(before);
  });

  test("of a pump that was buried is not written, before its successor writes or after", async ({
    steps,
  }) => {
    const { pool, endpointId, deliveryId, outcome, written } = steps;
    const [dead, successor] = [await steps.pump(), await steps.pump()];
    await takeEndpoints(pool, dead, [endpointId]);
    await expire(pool, dead);
    await renewLease(pool, successor);
    const before = await written();
    expect(await recordOutcomes(pool, dead, [outcome()])).toEqual({ alive: false, disabled: [] });
    expect(await written()).toEqual(before);

    expect(await takeEndpoints(pool, successor, [endpointId])).toEqual([endpointId]);
    const wanted = [{ endpointId, room: 10 }];
    const claimed = await claimDue(pool, { pumpId: successor, wanted, known: [] });
    expect(claimed).toMatchObject([{ id: deliveryId, attemptCount: 0 }]);
    await recordOutcomes(pool, successor, [outcome({ state: "succeeded", nextAttemptAt: undefined })]);
    const after = await written();
    expect(after.deliveries).toMatchObject([{ state: "succeeded", attemptCount: 1 }]);
    expect(await recordOutcomes(pool, dead, [outcome({ number: 2 })])).toEqual({
      alive: false,
      disabled: [],
    });
    expect(await written()).toEqual(after);
  });

  test("waits for whoever is burying its pump, and then is not written", async ({ steps }) => {
    const { pool, outcome, written } = steps;
    const pumpId = await steps.pump();
    const before = await written();
    const burying = { has: "DELETE FROM webhook_pumps WHERE id = $1", values: [pumpId] };
    let writing: ReturnType<typeof recordOutcomes> | undefined;
    await whileAnother(pool, burying, async () => {
      writing = recordOutcomes(pool, pumpId, [outcome()]);
      await untilItWaits(pool, writing);
    });
    expect(await writing).toEqual({ alive: false, disabled: [] });
    expect(await written()).toEqual(before);
  });

  test("keeps its pump from being buried while it is written", async ({ steps }) => {
    const { pool, endpointId } = steps;
    const [pumpId, other] = [await steps.pump(), await steps.pump()];
    const batch = [await steps.lastOutcome()];
    // Counting a failure waits for this lock: in the middle of the statement.
    const counting = { has: "SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE", values: [endpointId] };
    let writing: ReturnType<typeof recordOutcomes> | undefined;
    let survived = false;
    await whileAnother(pool, counting, async () => {
      await expire(pool, pumpId);
      writing = recordOutcomes(pool, pumpId, batch);
      await untilItWaits(pool, writing);
      await renewLease(pool, other);
      survived = await isRegistered(pool, pumpId);
    });
    expect(await writing).toEqual({ alive: true, disabled: [] });
    expect(survived).toBe(true);
    await renewLease(pool, other);
    expect(await isRegistered(pool, pumpId)).toBe(false);
  });
});

describe.each(["cancelled", "dropped"] as const)(
  "a delivery that was %s during its last attempt",
  (state) => {
    test("stays so when the attempt fails, and does not count against its endpoint", async ({ steps }) => {
      const pumpId = await steps.pump();
      const failed = await steps.lastOutcome();
      await steps.prisma.webhookDelivery.update({ where: { id: steps.deliveryId }, data: { state } });
      await recordOutcomes(steps.pool, pumpId, [failed]);
      expect(await steps.written()).toMatchObject({
        deliveries: [{ state, attemptCount: 8, attempts: [{ number: 8, outcome: "status_500" }] }],
        endpoint: { consecutiveFailures: 0 },
        notifications: 0,
      });
    });

    test("has succeeded when the attempt does", async ({ steps }) => {
      const pumpId = await steps.pump();
      const arrived = { ...(await steps.lastOutcome()), state: "succeeded" as const, outcome: "success" };
      await steps.prisma.webhookDelivery.update({ where: { id: steps.deliveryId }, data: { state } });
      await recordOutcomes(steps.pool, pumpId, [arrived]);
      expect(await steps.written()).toMatchObject({ deliveries: [{ state: "succeeded", attemptCount: 8 }] });
    });
  },
);
