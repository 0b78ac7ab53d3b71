import { rotateSecret } from "@querybell/core/webhooks";
import {
  claimDue,
  readEndpoints,
  renewLease,
  settleInactiveEndpoints,
  takeEndpoints,
} from "@querybell/webhooks/testing";
import { describe, expect } from "vitest";
import { pumpStepsTest as test } from "./testing/pump-steps-test.ts";

describe("of two pumps that live", () => {
  test("one gets an endpoint, however both ask", async ({ steps }) => {
    const { pool, endpointId } = steps;
    const pumps = [await steps.pump(), await steps.pump()];
    const taken = await Promise.all(pumps.map((pumpId) => takeEndpoints(pool, pumpId, [endpointId])));
    expect(taken.flat()).toEqual([endpointId]);
    for (const pumpId of pumps) await renewLease(pool, pumpId);
    for (const pumpId of pumps) expect(await takeEndpoints(pool, pumpId, [endpointId])).toEqual([]);
  });

  test("only the one that holds an endpoint claims its deliveries and reads its secrets", async ({
    steps,
  }) => {
    const { pool, endpointId, deliveryId } = steps;
    const [holder, other] = [await steps.pump(), await steps.pump()];
    await takeEndpoints(pool, holder, [endpointId]);
    const claim = async (pumpId: string) =>
      (await claimDue(pool, { pumpId, wanted: [{ endpointId, room: 10 }], known: [] })).map(({ id }) => id);
    expect(await claim(other)).toEqual([]);
    expect(await claim(holder)).toEqual([deliveryId]);
    expect(await readEndpoints(pool, other, [endpointId])).toEqual([]);
    expect(await readEndpoints(pool, holder, [endpointId])).toMatchObject([{ id: endpointId }]);
  });
});

test("a secret is read until the moment it expires, and not at it", async ({ steps, deps, clock }) => {
  const { pool, prisma, endpointId, owner } = steps;
  const pumpId = await steps.pump();
  await takeEndpoints(pool, pumpId, [endpointId]);
  const [first] = await prisma.webhookSecret.findMany({ where: { endpointId } });
  const second = await rotateSecret(deps, owner, { id: endpointId, overlapHours: 1 });
  const { expiresAt } = await prisma.webhookSecret.findUniqueOrThrow({ where: { id: first?.id ?? "" } });
  const secrets = async () => (await readEndpoints(pool, pumpId, [endpointId])).map((row) => row.secrets);
  await clock.advance((expiresAt?.getTime() ?? 0) - clock.now().getTime() - 1);
  expect(await secrets()).toMatchObject([[{ id: second.id }, { id: first?.id }]]);
  await clock.advance(1);
  expect(await secrets()).toEqual([[expect.objectContaining({ id: second.id })]]);
});

describe("what is pending at an endpoint", () => {
  test("that was deleted is cancelled", async ({ steps, hooks }) => {
    const { pool, prisma, endpointId } = steps;
    await prisma.webhookEndpoint.update({ where: { id: endpointId }, data: { state: "deleted" } });
    expect(await settleInactiveEndpoints(pool, [endpointId])).toBe(1);
    expect(await hooks.states(endpointId)).toEqual(["cancelled"]);
  });

  test("that was disabled is held, and a test is cancelled", async ({ steps, hooks, clock }) => {
    const { pool, prisma, endpointId, deliveryId, owner } = steps;
    await hooks.emit(owner);
    await prisma.webhookDelivery.update({ where: { id: deliveryId }, data: { kind: "test" } });
    const data = { state: "disabled", disabledReason: "admin", disabledAt: clock.now() } as const;
    await prisma.webhookEndpoint.update({ where: { id: endpointId }, data });
    expect(await settleInactiveEndpoints(pool, [endpointId])).toBe(2);
    const settled = await hooks.deliveries({ endpointId });
    expect(new Map(settled.map(({ kind, state }) => [kind, state]))).toEqual(
      new Map([
        ["test", "cancelled"],
        ["normal", "held"],
      ]),
    );
  });
});
