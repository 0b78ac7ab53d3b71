import { maxWebhookAttempts, newId } from "@querybell/domain";
import type { OutcomeRecord } from "../deliveries/record-outcomes.ts";
import { registerPump } from "../pump/leases.ts";
import { pumpTest } from "./pump-test.ts";

/**
 * An endpoint with one pending delivery, and pumps whose steps the test takes one by one: a whole pump takes them too
 * fast for a test to do something in between.
 */
export const pumpStepsTest = pumpTest.extend("steps", { scope: "test" }, async ({ hooks, db, clock }) => {
  const { pool, prisma } = db;
  const owner = await hooks.owner();
  const { id: endpointId, secret } = await hooks.endpoint(owner, "http://127.0.0.1:9/");
  const eventId = await hooks.emit(owner);
  const [delivery] = await hooks.deliveries({ eventId });
  if (!delivery) throw new Error("The event has no delivery.");

  /** The id of a pump with a lease. */
  const pump = async (): Promise<string> => {
    const id = newId(clock);
    await registerPump(pool, id);
    return id;
  };

  /** As if the pump had not renewed its lease for long. */
  const expire = (pumpId: string) =>
    pool.query("UPDATE webhook_pumps SET lease_until = now() - interval '1 ms' WHERE id = $1", [pumpId]);

  /** The outcome of a first attempt that failed, unless `changes` say otherwise. */
  const outcome = (changes: Partial<OutcomeRecord> = {}): OutcomeRecord => {
    const now = clock.now();
    return {
      position: 1,
      deliveryId: delivery.id,
      endpointId,
      isGone: false,
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

  /** A last attempt that failed. Sets the attempt count of the delivery accordingly. */
  const lastOutcome = async (): Promise<OutcomeRecord> => {
    const data = { attemptCount: maxWebhookAttempts - 1 };
    await prisma.webhookDelivery.update({ where: { id: delivery.id }, data });
    return outcome({ number: maxWebhookAttempts, state: "exhausted", nextAttemptAt: undefined });
  };

  /** Everything that recording an outcome can change. */
  const readRecorded = async () => ({
    deliveries: await hooks.deliveries({ endpointId }),
    endpoint: await prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: endpointId } }),
    notifications: await prisma.notification.count({ where: { userId: owner.userId } }),
  });

  return {
    pool,
    prisma,
    owner,
    endpointId,
    deliveryId: delivery.id,
    pump,
    expire,
    outcome,
    lastOutcome,
    readRecorded,
  };
});
