import { describe, expect } from "vitest";
import { pumpStepsTest as test } from "../testing/pump-steps-test.ts";
import { holdAllPendingDeliveries } from "./stop-deliveries.ts";

describe("a pending delivery of an endpoint", () => {
  test("that was deleted is cancelled", async ({ steps, hooks }) => {
    const { pool, prisma, endpointId } = steps;
    await prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { state: "deleted" } });
    expect(await holdAllPendingDeliveries(pool, [endpointId])).toBe(1);
    expect(await hooks.states(endpointId)).toEqual(["cancelled"]);
  });

  test("that was disabled is held, and a test is cancelled", async ({ steps, hooks, clock }) => {
    const { pool, prisma, endpointId, deliveryId, owner } = steps;
    await hooks.emit(owner);
    await prisma.webhookDelivery.update({ where: { id: deliveryId }, data: { kind: "test" } });
    const data = { state: "disabled", disabledReason: "admin", disabledAt: clock.now() } as const;
    await prisma.webhookEndpoint.update({ where: { id: endpointId }, data });
    expect(await holdAllPendingDeliveries(pool, [endpointId])).toBe(2);
    const changed = await hooks.deliveries({ endpointId });
    expect(new Map(changed.map(({ kind, state }) => [kind, state]))).toEqual(
      new Map([
        ["test", "cancelled"],
        ["normal", "held"],
      ]),
    );
  });
});
