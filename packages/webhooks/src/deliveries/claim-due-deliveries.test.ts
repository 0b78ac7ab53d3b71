import { describe, expect } from "vitest";
import { acquireEndpoints } from "../pump/leases.ts";
import { pumpStepsTest } from "../testing/pump-steps-test.ts";
import { claimDueDeliveries } from "./claim-due-deliveries.ts";

/** A pump that holds the endpoint, and the ids of the deliveries that it claims. */
const test = pumpStepsTest.extend("claim", { scope: "test" }, async ({ steps }) => {
  const { pool, endpointId } = steps;
  const pumpId = await steps.pump();
  await acquireEndpoints(pool, pumpId, [endpointId]);
  return async () => {
    const limits = [{ endpointId, limit: 10 }];
    return (await claimDueDeliveries(pool, { pumpId, limits, excludedIds: [] })).map(({ id }) => id);
  };
});

describe("a due delivery of an endpoint that the pump holds is not claimed", () => {
  test("while the endpoint is disabled", async ({ steps, claim, clock }) => {
    const { prisma, endpointId, deliveryId } = steps;
    const where = { id: endpointId };
    const disabled = { state: "disabled", disabledReason: "admin", disabledAt: clock.now() } as const;
    await prisma.webhookEndpoint.update({ where, data: disabled });
    expect(await claim()).toEqual([]);
    const enabled = { state: "enabled", disabledReason: null, disabledAt: null } as const;
    await prisma.webhookEndpoint.update({ where, data: enabled });
    expect(await claim()).toEqual([deliveryId]);
  });

  test("while the organization's webhooks are turned off", async ({ steps, claim }) => {
    const { prisma, owner, deliveryId } = steps;
    const turn = (webhooksEnabled: boolean) =>
      prisma.organization.update({ where: { id: owner.organizationId }, data: { webhooksEnabled } });
    await turn(false);
    expect(await claim()).toEqual([]);
    await turn(true);
    expect(await claim()).toEqual([deliveryId]);
  });
});
