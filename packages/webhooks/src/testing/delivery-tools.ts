import type { Database, Tx } from "@querybell/db";
import { type Clock, maxWebhookAttempts, newId } from "@querybell/domain";
import type { Guard } from "@querybell/guard";
import { onTestFinished } from "vitest";
import { type PumpOptions, startPump } from "../pump/pump.ts";
import { createSender, type SenderOptions } from "../send/sender.ts";
import { type Behaviour, startReceiver } from "../send/testing/receiver.ts";
import { emitEvents } from "./emit-events.ts";

interface DeliveryDeps {
  db: Database;
  clock: Clock;
  guard: Guard;
  sealer: PumpOptions["sealer"];
}

type PumpOverrides = Partial<PumpOptions> & Pick<SenderOptions, "ca">;

interface OfOrganization {
  organizationId: string;
  /** Subscriptions get only events of automations that exist. */
  automationId?: string;
}

/** Emits events, starts pumps and customers' servers on loopback, and reads what became of the deliveries. */
export function createDeliveryTools({ db, clock, guard, sealer }: DeliveryDeps) {
  const emitIn = async (
    tx: Tx,
    { organizationId, automationId = newId(clock), cause }: OfOrganization & { cause: string },
  ) => {
    const occurrence = {
      type: "automation.run.completed" as const,
      data: {
        automationId,
        runId: newId(clock),
        summary: "All went well.",
        chatUrl: "http://localhost:4000/chats/1",
        imageUrl: null,
      },
    };
    const [id] = await emitEvents({ tx, clock }, [{ organizationId, occurrence, cause }]);
    return id;
  };

  const newCause = () => `automation_run:${newId(clock)}`;

  const emit = async ({ organizationId, automationId }: OfOrganization) => {
    const event = { organizationId, ...(automationId !== undefined && { automationId }), cause: newCause() };
    const id = await db.transaction((tx) => emitIn(tx, event));
    if (!id) throw new Error("The event was not emitted.");
    return id;
  };

  /** Events whose next failed attempt is their last. */
  const emitNearlyExhausted = ({ organizationId }: OfOrganization, count = 1) =>
    db.transaction(async (tx) => {
      const ids: string[] = [];
      for (let index = 0; index < count; index++) {
        const id = await emitIn(tx, { organizationId, cause: newCause() });
        if (id) ids.push(id);
      }
      const attemptCount = maxWebhookAttempts - 1;
      await tx.webhookDelivery.updateMany({ where: { eventId: { in: ids } }, data: { attemptCount } });
    });

  /** A pump without jitter that stops with the test. */
  const pump = async ({ ca, ...overrides }: PumpOverrides = {}) => {
    const sender = createSender({ guard, clock, ...(ca && { ca }) });
    const started = await startPump({
      pool: db.pool,
      notices: db.notices,
      clock,
      guard,
      sealer,
      sender,
      random: () => 0,
      onError: console.error,
      ...overrides,
    });
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= started.stop().finally(() => sender.close());
      return stopped;
    };
    onTestFinished(stop);
    return { ...started, stop };
  };

  const receiver = async (behave: Behaviour) => {
    const started = await startReceiver(behave);
    onTestFinished(() => started[Symbol.asyncDispose]());
    return Object.assign(started, { url: `http://127.0.0.1:${started.port}/hook` });
  };

  const deliveries = (where: { eventId?: string; endpointId?: string }) =>
    db.prisma.webhookDelivery.findMany({
      where,
      include: { attempts: { orderBy: { number: "asc" } } },
      orderBy: { id: "asc" },
    });

  const states = async (endpointId: string) => (await deliveries({ endpointId })).map(({ state }) => state);

  return { emit, emitIn, emitNearlyExhausted, pump, receiver, deliveries, states };
}

export const answer =
  (status: number): Behaviour =>
  (response) =>
    response.writeHead(status).end();
