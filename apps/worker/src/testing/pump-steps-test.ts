import { maxWebhookAttempts, newId } from "@querybell/domain";
import { type OutcomeRecord, register } from "@querybell/webhooks/testing";
import { deliveryTest } from "./delivery-test.ts";

/** An endpoint with one pending delivery, and pumps of which the test takes each step itself. */
export const pumpStepsTest = deliveryTest.extend("steps", { scope: "test" }, async ({ hooks, deps }) => {
  const { pool, prisma } = deps.db;
  const owner = await hooks.owner();
  const { id: endpointId, secret } = await hooks.endpoint(owner, "http://127.0.0.1:9/");
  const eventId = await hooks.emit(owner);
  const [delivery] = await hooks.deliveries({ eventId });
  if (!delivery) throw new Error("The event has no delivery.");

  /** A pump that lives. */
  const pump = async (): Promise<string> => {
    const id = newId(deps.clock);
    await register(pool, id);
    return id;
  };

  /** A first attempt that failed, unless told otherwise. */
  const outcome = (changes: Partial<OutcomeRecord> = {}): OutcomeRecord => {
    const now = deps.clock.now();
    return {
      position: 1,
      deliveryId: delivery.id,
      number: 1,
      state: "pending",
      nextAttemptAt: new Date(now.getTime() + 60_000),
      outcome: "status_500",
      sentence: "The server answered 500.",
      status: 500,
      startedAt: now,
      endedAt: now,
      url: "http://127.0.0.1:9/",
      address: "127.0.0.1",
      reusedConnection: false,
      requestHeaders: "[]",
      secretId: secret.id,
      responseHeaders: undefined,
      responseBody: undefined,
      responseBytes: undefined,
      bodyEnd: undefined,
      dnsMs: undefined,
      connectMs: undefined,
      tlsMs: undefined,
      firstByteMs: undefined,
      totalMs: 1,
      ...changes,
    };
  };

  /** The last attempt, which has failed; the delivery is made to be about to have it. */
  const lastOutcome = async (): Promise<OutcomeRecord> => {
    const data = { attemptCount: maxWebhookAttempts - 1 };
    await prisma.webhookDelivery.update({ where: { id: delivery.id }, data });
    return outcome({ number: maxWebhookAttempts, state: "exhausted", nextAttemptAt: undefined });
  };

  /** Everything that writing an outcome changes. */
  const written = async () => ({
    deliveries: await hooks.deliveries({ endpointId }),
    endpoint: await prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: endpointId } }),
    notifications: await prisma.notification.count({ where: { userId: owner.userId } }),
  });

  return { pool, prisma, owner, endpointId, deliveryId: delivery.id, pump, outcome, lastOutcome, written };
});
