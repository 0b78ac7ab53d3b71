import { expect } from "vitest";
import { pumpStepsTest as test } from "../testing/pump-steps-test.ts";
import { readEndpointSettings } from "./endpoint-settings.ts";
import { acquireEndpoints } from "./leases.ts";

test("a secret is read until the moment it expires, and not at it", async ({ steps, hooks, clock }) => {
  const { pool, prisma, endpointId } = steps;
  const pumpId = await steps.pump();
  await acquireEndpoints(pool, pumpId, [endpointId]);
  const expiresAt = new Date(clock.now().getTime() + 3_600_000);
  const [first] = await prisma.webhookSecret.updateManyAndReturn({
    where: { endpointId },
    data: { expiresAt },
  });
  const second = await hooks.insertSecret(endpointId, expiresAt);
  const secrets = async () =>
    (await readEndpointSettings(pool, pumpId, [endpointId])).map((row) => row.secrets);
  await clock.advance(expiresAt.getTime() - clock.now().getTime() - 1);
  expect(await secrets()).toMatchObject([[{ id: second.id }, { id: first?.id }]]);
  await clock.advance(1);
  expect(await secrets()).toEqual([[expect.objectContaining({ id: second.id })]]);
});
