import { createEndpoint, emitEvents } from "@querybell/core/webhooks";
import type { Tx } from "@querybell/db";
import {
  type Caller,
  CreateWebhookEndpoint,
  maxWebhookAttempts,
  newId,
  type WebhookOccurrence,
} from "@querybell/domain";
import { dbTest } from "@querybell/testkit";
import { createSender, type PumpOptions, type SenderOptions, startPump } from "@querybell/webhooks";
import { type Behaviour, startReceiver } from "@querybell/webhooks/testing";
import { onTestFinished } from "vitest";

type Overrides = Partial<PumpOptions> & Pick<SenderOptions, "ca">;

/** A test with a database, customers' servers on loopback, and pumps that the test starts. */
export const deliveryTest = dbTest.extend(
  "hooks",
  { scope: "file" },
  async ({ deps, make, clock: testClock }) => {
    // From here on the database's time stands still too.
    await testClock.advance(0);
    const { db, clock, guard, sealer } = deps;

    const owner = async () => {
      const caller = await make.owner();
      await db.prisma.organization.update({
        where: { id: caller.organizationId },
        data: { webhooksEnabled: true },
      });
      return caller;
    };

    const endpoint = (caller: Caller, url: string, settings: Partial<CreateWebhookEndpoint> = {}) =>
      createEndpoint(
        deps,
        caller,
        CreateWebhookEndpoint.parse({
          url,
          eventTypes: ["automation.run.completed", "automation.run.failed"],
          ...settings,
        }),
      );

    const completed = (summary = "All went well."): WebhookOccurrence => ({
      type: "automation.run.completed",
      data: {
        automationId: newId(clock),
        runId: newId(clock),
        summary,
        chatUrl: "http://localhost:4000/chats/1",
        imageUrl: null,
      },
    });

    const emitIn = async (tx: Tx, { organizationId, cause }: { organizationId: string; cause: string }) => {
      const [id] = await emitEvents({ tx, clock }, [{ organizationId, occurrence: completed(), cause }]);
      return id;
    };

    const emit = async ({ organizationId }: Pick<Caller, "organizationId">) => {
      const cause = `automation_run:${newId(clock)}`;
      const id = await db.transaction((tx) => emitIn(tx, { organizationId, cause }));
      if (!id) throw new Error("The event was not emitted.");
      return id;
    };

    /** Events whose next failed attempt is their last. */
    const emitNearlyExhausted = ({ organizationId }: Pick<Caller, "organizationId">, count = 1) =>
      db.transaction(async (tx) => {
        const ids: string[] = [];
        for (let index = 0; index < count; index++) {
          const cause = `automation_run:${newId(clock)}`;
          const id = await emitIn(tx, { organizationId, cause });
          if (id) ids.push(id);
        }
        const attemptCount = maxWebhookAttempts - 1;
        await tx.webhookDelivery.updateMany({ where: { eventId: { in: ids } }, data: { attemptCount } });
      });

    /** A pump without jitter that ends with the test. */
    const pump = async ({ ca, ...overrides }: Overrides = {}) => {
      const sender = createSender({ guard, clock, ...(ca && { ca }) });
      const started = await startPump({
        ...{
          pool: db.pool,
          notices: db.notices,
          clock,
          guard,
          sealer,
          sender,
          random: () => 0,
          onError: console.error,
        },
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

    return { owner, endpoint, emit, emitIn, emitNearlyExhausted, pump, receiver, deliveries, states };
  },
);

export const answer =
  (status: number): Behaviour =>
  (response) =>
    response.writeHead(status).end();
