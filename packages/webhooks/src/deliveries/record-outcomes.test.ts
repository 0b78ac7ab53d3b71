import type { Pool } from "@querybell/db";
import { describe, expect } from "vitest";
import { acquireEndpoints, renewLease } from "../pump/leases.ts";
import { waitUntilBlocked, whileOtherTransaction } from "../testing/other-transaction.ts";
import { pumpStepsTest as test } from "../testing/pump-steps-test.ts";
import { claimDueDeliveries } from "./claim-due-deliveries.ts";
import { recordOutcomes } from "./record-outcomes.ts";

const recorded = { hasLease: true, disabledEndpointIds: [] };
const leaseLost = { hasLease: false, disabledEndpointIds: [] };

const expire = (pool: Pool, pumpId: string) =>
  pool.query("UPDATE webhook_pumps SET lease_until = now() - interval '1 second' WHERE id = $1", [pumpId]);

const isRegistered = async (pool: Pool, pumpId: string) =>
  (await pool.query("SELECT FROM webhook_pumps WHERE id = $1", [pumpId])).rowCount === 1;

describe("the outcome of an attempt", () => {
  test("that is recorded twice counts once", async ({ steps }) => {
    const { pool, readRecorded } = steps;
    const pumpId = await steps.pump();
    const batch = [await steps.lastOutcome()];
    expect(await recordOutcomes(pool, pumpId, batch)).toEqual(recorded);
    const once = await readRecorded();
    expect(once).toMatchObject({
      deliveries: [{ state: "exhausted", attemptCount: 8, attempts: [{ number: 8 }] }],
      endpoint: { consecutiveFailures: 1 },
      notifications: 1,
    });
    expect(await recordOutcomes(pool, pumpId, batch)).toEqual(recorded);
    expect(await readRecorded()).toEqual(once);
  });

  test("that is not of the delivery's next attempt is not recorded", async ({ steps }) => {
    const pumpId = await steps.pump();
    const before = await steps.readRecorded();
    await recordOutcomes(steps.pool, pumpId, [steps.outcome({ number: 3 })]);
    expect(await steps.readRecorded()).toEqual(before);
  });

  test("of an expired pump is not recorded, neither before its successor records one nor after", async ({
    steps,
  }) => {
    const { pool, endpointId, deliveryId, outcome, readRecorded } = steps;
    const [expired, successor] = [await steps.pump(), await steps.pump()];
    await acquireEndpoints(pool, expired, [endpointId]);
    await expire(pool, expired);
    await renewLease(pool, successor);
    const before = await readRecorded();
    expect(await recordOutcomes(pool, expired, [outcome()])).toEqual(leaseLost);
    expect(await readRecorded()).toEqual(before);

    expect(await acquireEndpoints(pool, successor, [endpointId])).toEqual([endpointId]);
    const limits = [{ endpointId, limit: 10 }];
    const claimed = await claimDueDeliveries(pool, { pumpId: successor, limits, excludedIds: [] });
    expect(claimed).toMatchObject([{ id: deliveryId, attemptCount: 0 }]);
    await recordOutcomes(pool, successor, [outcome({ state: "succeeded", nextAttemptAt: undefined })]);
    const after = await readRecorded();
    expect(after.deliveries).toMatchObject([{ state: "succeeded", attemptCount: 1 }]);
    expect(await recordOutcomes(pool, expired, [outcome({ number: 2 })])).toEqual(leaseLost);
    expect(await readRecorded()).toEqual(after);
  });

  test("waits for a transaction that expires its pump, and is then not recorded", async ({ steps }) => {
    const { pool, outcome, readRecorded } = steps;
    const pumpId = await steps.pump();
    const before = await readRecorded();
    const expiring = { has: "DELETE FROM webhook_pumps WHERE id = $1", values: [pumpId] };
    let recording: ReturnType<typeof recordOutcomes> | undefined;
    await whileOtherTransaction(pool, expiring, async () => {
      recording = recordOutcomes(pool, pumpId, [outcome()]);
      await waitUntilBlocked(pool, recording);
    });
    expect(await recording).toEqual(leaseLost);
    expect(await readRecorded()).toEqual(before);
  });

  test("keeps its pump from expiring while it is recorded", async ({ steps }) => {
    const { pool, endpointId } = steps;
    const [pumpId, other] = [await steps.pump(), await steps.pump()];
    const batch = [await steps.lastOutcome()];
    // Counting a failure waits for this lock: in the middle of the statement.
    const counting = { has: "SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE", values: [endpointId] };
    let recording: ReturnType<typeof recordOutcomes> | undefined;
    let survived = false;
    await whileOtherTransaction(pool, counting, async () => {
      await expire(pool, pumpId);
      recording = recordOutcomes(pool, pumpId, batch);
      await waitUntilBlocked(pool, recording);
      await renewLease(pool, other);
      survived = await isRegistered(pool, pumpId);
    });
    expect(await recording).toEqual(recorded);
    expect(survived).toBe(true);
    await renewLease(pool, other);
    expect(await isRegistered(pool, pumpId)).toBe(false);
  });
});

describe("after failures, a delivery that succeeds", () => {
  test.for([
    ["normal", 0],
    ["resend", 0],
    ["recovery", 0],
    // Sample data says nothing about the events that failed.
    ["test", 4],
  ] as const)("of the kind %s leaves the endpoint's count at %i", async ([kind, left], { steps }) => {
    const { pool, prisma, endpointId, deliveryId } = steps;
    await prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { consecutiveFailures: 4 } });
    await prisma.webhookDelivery.update({ where: { id: deliveryId }, data: { kind } });
    const arrived = steps.outcome({ state: "succeeded", outcome: "success", nextAttemptAt: undefined });
    await recordOutcomes(pool, await steps.pump(), [arrived]);
    expect(await steps.readRecorded()).toMatchObject({
      deliveries: [{ state: "succeeded" }],
      endpoint: { consecutiveFailures: left },
    });
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
      expect(await steps.readRecorded()).toMatchObject({
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
      expect(await steps.readRecorded()).toMatchObject({
        deliveries: [{ state: "succeeded", attemptCount: 8 }],
      });
    });
  },
);
