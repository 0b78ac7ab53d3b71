import { describe, expect } from "vitest";
import { claimDueDeliveries } from "../deliveries/claim-due-deliveries.ts";
import { pumpStepsTest as test } from "../testing/pump-steps-test.ts";
import { readEndpoints } from "./endpoint.ts";
import { acquireEndpoints, renewLease } from "./leases.ts";

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
    expect(await readEndpoints(pool, other, [endpointId])).toEqual([]);
    expect(await readEndpoints(pool, holder, [endpointId])).toMatchObject([{ id: endpointId }]);
  });
});
