import { newId } from "@querybell/domain";
import { expect } from "vitest";
import { pumpStepsTest as test } from "../testing/pump-steps-test.ts";
import { advanceRecoveries, countFailedDeliveries } from "./recoveries.ts";

test("a test that failed is neither counted nor sent again by a recovery", async ({
  steps,
  hooks,
  db,
  clock,
}) => {
  const { pool, prisma, owner, endpointId, deliveryId } = steps;
  const since = clock.now();
  const failed = { state: "exhausted", stateChangedAt: since } as const;
  await prisma.webhookDelivery.update({ where: { id: deliveryId }, data: { ...failed, kind: "test" } });
  const eventId = await hooks.emit(owner);
  await prisma.webhookDelivery.updateMany({ where: { eventId }, data: failed });

  const counted = { endpointId, since: since.toISOString() };
  expect(await db.transaction((tx) => countFailedDeliveries(tx, counted))).toBe(1);

  const { organizationId } = owner;
  const recovery = {
    id: newId(clock),
    organizationId,
    endpointId,
    since,
    createdAt: since,
    pacedUntil: since,
  };
  await prisma.webhookRecovery.create({
    data: { ...recovery, action: "resend_failed", perSecond: 100, total: 1 },
  });
  await advanceRecoveries(pool);
  const sentAgain = (await hooks.deliveries({ endpointId })).filter(({ kind }) => kind === "recovery");
  expect(sentAgain.map((delivery) => delivery.eventId)).toEqual([eventId]);
});
