import { describe, expect, onTestFinished } from "vitest";
import { claimDueDeliveries } from "../deliveries/claim-due-deliveries.ts";
import { pumpStepsTest as test } from "../testing/pump-steps-test.ts";
import { readEndpointSettings } from "./endpoint-settings.ts";
import { acquireEndpoints, releaseEndpoints, renewLease, unregisterPump } from "./leases.ts";

describe("of two pumps with a lease", () => {
  test("one gets an endpoint, however both ask", async ({ steps }) => {
    const { pool, endpointId } = steps;
    const pumps = [await steps.pump(), await steps.pump()];
    const acquired = await Promise.all(pumps.map((pumpId) => acquireEndpoints(pool, pumpId, [endpointId])));
    expect(acquired.flat()).toEqual([endpointId]);
    for (const pumpId of pumps) await renewLease(pool, pumpId);
    for (const pumpId of pumps) expect(await acquireEndpoints(pool, pumpId, [endpointId])).toEqual([]);
  });

  test("only the one that holds an endpoint claims its deliveries and reads its secrets", async ({
    steps,
  }) => {
    const { pool, endpointId, deliveryId } = steps;
    const [holder, other] = [await steps.pump(), await steps.pump()];
    await acquireEndpoints(pool, holder, [endpointId]);
    const claim = async (pumpId: string) => {
      const limits = [{ endpointId, limit: 10 }];
      const claimed = await claimDueDeliveries(pool, { pumpId, limits, excludedIds: [] });
      return claimed.map(({ id }) => id);
    };
    expect(await claim(other)).toEqual([]);
    expect(await claim(holder)).toEqual([deliveryId]);
    expect(await readEndpointSettings(pool, other, [endpointId])).toEqual([]);
    expect(await readEndpointSettings(pool, holder, [endpointId])).toMatchObject([{ id: endpointId }]);
  });
});

describe("a pump's lease", () => {
  test("frees its endpoints once it has expired, and not before", async ({ steps }) => {
    const { pool, endpointId } = steps;
    const [holder, other] = [await steps.pump(), await steps.pump()];
    await acquireEndpoints(pool, holder, [endpointId]);
    await renewLease(pool, other);
    expect(await acquireEndpoints(pool, other, [endpointId])).toEqual([]);
    await steps.expire(holder);
    await renewLease(pool, other);
    expect(await acquireEndpoints(pool, other, [endpointId])).toEqual([endpointId]);
    expect(await renewLease(pool, holder)).toBe(false);
  });

  test("is kept by a pump that renews it late, if nobody was faster", async ({ steps }) => {
    const { pool } = steps;
    const pumpId = await steps.pump();
    await steps.expire(pumpId);
    expect(await renewLease(pool, pumpId)).toBe(true);
    await renewLease(pool, await steps.pump());
    expect(await renewLease(pool, pumpId)).toBe(true);
  });

  test("is renewed while another transaction has the row of one that expired", async ({ steps }) => {
    const { pool } = steps;
    const [pumpId, expired] = [await steps.pump(), await steps.pump()];
    await steps.expire(expired);
    const client = await pool.connect();
    onTestFinished(() => client.release(true));
    await client.query("BEGIN");
    await client.query("SELECT FROM webhook_pumps WHERE id = $1 FOR UPDATE", [expired]);
    expect(await renewLease(pool, pumpId)).toBe(true);
  });

  test("ends when it is unregistered, and then it acquires nothing", async ({ steps }) => {
    const { pool, endpointId } = steps;
    const [ended, other] = [await steps.pump(), await steps.pump()];
    await acquireEndpoints(pool, ended, [endpointId]);
    await unregisterPump(pool, ended);
    expect(await renewLease(pool, ended)).toBe(false);
    expect(await acquireEndpoints(pool, ended, [endpointId])).toEqual([]);
    expect(await acquireEndpoints(pool, other, [endpointId])).toEqual([endpointId]);
  });
});

describe("an endpoint is acquired", () => {
  test("only with a delivery that is due", async ({ steps }) => {
    const { pool, prisma, endpointId, deliveryId } = steps;
    const pumpId = await steps.pump();
    const where = { id: deliveryId };
    const { nextAttemptAt } = await prisma.webhookDelivery.findUniqueOrThrow({ where });
    const later = new Date(Date.now() + 3_600_000);
    await prisma.webhookDelivery.update({ where, data: { nextAttemptAt: later } });
    expect(await acquireEndpoints(pool, pumpId, [endpointId])).toEqual([]);
    await prisma.webhookDelivery.update({ where, data: { nextAttemptAt } });
    expect(await acquireEndpoints(pool, pumpId, [endpointId])).toEqual([endpointId]);
  });

  test("not with a delivery that has ended", async ({ steps }) => {
    const { pool, prisma, endpointId, deliveryId } = steps;
    await prisma.webhookDelivery.update({ where: { id: deliveryId }, data: { state: "exhausted" } });
    expect(await acquireEndpoints(pool, await steps.pump(), [endpointId])).toEqual([]);
  });

  test("only where it is enabled, and webhooks are", async ({ steps }) => {
    const { pool, prisma, endpointId, owner } = steps;
    const pumpId = await steps.pump();
    const enable = (webhooksEnabled: boolean) =>
      prisma.organization.update({ where: { id: owner.organizationId }, data: { webhooksEnabled } });
    await enable(false);
    expect(await acquireEndpoints(pool, pumpId, [endpointId])).toEqual([]);
    await enable(true);
    await prisma.webhookEndpoint.update({
      where: { id: endpointId },
      data: { state: "disabled", disabledReason: "failures", disabledAt: new Date() },
    });
    expect(await acquireEndpoints(pool, pumpId, [endpointId])).toEqual([]);
  });

  test("while a delivery is inserted, and not while another transaction changes it", async ({ steps }) => {
    const { pool, endpointId } = steps;
    const pumpId = await steps.pump();
    const client = await pool.connect();
    onTestFinished(() => client.release(true));
    const hold = async (lock: string) => {
      await client.query("ROLLBACK; BEGIN");
      await client.query(`SELECT FROM webhook_endpoints WHERE id = $1 ${lock}`, [endpointId]);
    };
    await hold("FOR NO KEY UPDATE");
    expect(await acquireEndpoints(pool, pumpId, [endpointId])).toEqual([]);
    await hold("FOR KEY SHARE");
    expect(await acquireEndpoints(pool, pumpId, [endpointId])).toEqual([endpointId]);
  });

  test("again once the pump that holds it releases it, and by no other pump's release", async ({ steps }) => {
    const { pool, endpointId } = steps;
    const [holder, other] = [await steps.pump(), await steps.pump()];
    await acquireEndpoints(pool, holder, [endpointId]);
    await releaseEndpoints(pool, other, [endpointId]);
    expect(await acquireEndpoints(pool, other, [endpointId])).toEqual([]);
    await releaseEndpoints(pool, holder, [endpointId]);
    expect(await acquireEndpoints(pool, other, [endpointId])).toEqual([endpointId]);
  });
});
