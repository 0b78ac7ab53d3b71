import { insertSubscription } from "@querybell/core/testing/insert-subscription";
import { createEndpoint } from "@querybell/core/webhooks";
import { CreateWebhookEndpoint, newId } from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks/testing/emit-events";
import { vi } from "vitest";
import { walkTest } from "./walk-test.ts";

/** A walk with a worker, for an organization whose webhooks are enabled. */
export const webhookWalk = walkTest.extend("team", async ({ make, deps, worker }) => {
  if (!worker) throw new Error("Nothing would be sent without a worker.");
  const { db, clock } = deps;
  const owner = await make.owner();
  const { organizationId } = owner;
  await db.prisma.organization.update({ where: { id: organizationId }, data: { webhooksEnabled: true } });

  /** Emits the event of a failed automation run. With `attemptsUsed`, its deliveries have already had that many attempts. */
  const emit = ({ attemptsUsed = 0 } = {}) =>
    db.transaction(async (tx) => {
      const data = { automationId: newId(clock), runId: newId(clock), reason: "stopped" };
      const occurrence = { type: "automation.run.failed", data } as const;
      const cause = `automation_run:${data.runId}`;
      const [eventId] = await emitEvents({ tx, clock }, [{ organizationId, occurrence, cause }]);
      if (eventId === undefined) throw new Error("The event was not emitted.");
      if (attemptsUsed > 0) {
        await tx.webhookDelivery.updateMany({ where: { eventId }, data: { attemptCount: attemptsUsed } });
      }
      return eventId;
    });

  const endpoint = (url: string) =>
    createEndpoint(
      deps,
      owner,
      CreateWebhookEndpoint.parse({ url, eventTypes: ["automation.run.completed", "automation.run.failed"] }),
    );

  const subscription = (url: string) =>
    insertSubscription(deps, owner, { url, event: "automation.run.failed" });

  /** Waits until this many deliveries have had this attempt. */
  const untilAttempts = async (deliveries: number, number: number): Promise<void> => {
    const had = () =>
      db.prisma.webhookAttempt.count({
        where: { number, outcome: { not: "success" }, delivery: { endpoint: { organizationId } } },
      });
    await vi.waitUntil(async () => (await had()) >= deliveries, { timeout: 180_000 });
  };

  return { owner, emit, endpoint, subscription, untilAttempts };
});
