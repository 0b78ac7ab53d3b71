import { type Caller, newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../deps.ts";
import { listNotifications } from "../notifications/index.ts";
import { answer, deliveryTest } from "../testing/delivery-test.ts";
import { disableEndpoint, enableEndpoint, getEndpoint, resendDelivery, sendTestEvent } from "./index.ts";

/** The notifications of a user, by the number of failures. The clock stands still in these tests. */
const notificationsOf = async (deps: Deps, { userId }: Caller) =>
  (
    await listNotifications(deps, { userId, sessionId: newId(deps.clock) }, { unreadOnly: false, limit: 100 })
  ).items
    .flatMap(({ kind, detail }) => ("failures" in detail ? [{ kind, failures: detail.failures }] : []))
    .sort((one, other) => one.failures - other.failures);

const failing = (failures: number) => ({ kind: "webhook_endpoint_failing", failures });

describe("five events in a row that exhaust their attempts", () => {
  deliveryTest(
    "disable the endpoint, and warn its creator before and notify them then",
    async ({ hooks, deps }) => {
      const owner = await hooks.owner();
      const receiver = await hooks.receiver(answer(500));
      const { id } = await hooks.endpoint(owner, receiver.url, { maxInFlight: 1 });
      const pump = await hooks.pump();
      for (let event = 1; event <= 4; event++) {
        await hooks.emitNearlyExhausted(owner);
        await pump.drain();
        expect(await getEndpoint(deps, owner, { id })).toMatchObject({
          state: "enabled",
          consecutiveFailures: event,
        });
      }
      expect(await notificationsOf(deps, owner)).toEqual([failing(1), failing(3)]);
      await hooks.emitNearlyExhausted(owner);
      await pump.drain();
      expect(await getEndpoint(deps, owner, { id })).toMatchObject({
        state: "disabled",
        disabledReason: "failures",
        consecutiveFailures: 5,
      });
      expect(await notificationsOf(deps, owner)).toEqual([
        failing(1),
        failing(3),
        { kind: "webhook_endpoint_disabled", failures: 5 },
      ]);
    },
  );

  deliveryTest("are counted again from the start after a success in between", async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    let status = 500;
    const receiver = await hooks.receiver((response) => response.writeHead(status).end());
    const { id } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    await hooks.emitNearlyExhausted(owner, 4);
    await pump.drain();
    status = 204;
    await hooks.emit(owner);
    await pump.drain();
    expect(await getEndpoint(deps, owner, { id })).toMatchObject({
      state: "enabled",
      consecutiveFailures: 0,
    });
    status = 500;
    await hooks.emitNearlyExhausted(owner, 4);
    await pump.drain();
    expect(await getEndpoint(deps, owner, { id })).toMatchObject({
      state: "enabled",
      consecutiveFailures: 4,
    });
    expect(await notificationsOf(deps, owner)).toEqual([1, 1, 3, 3].map(failing));
  });

  deliveryTest("count neither resends nor tests", async ({ hooks, deps, clock }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(500));
    const { id } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    await hooks.emitNearlyExhausted(owner);
    await pump.drain();
    const [original] = await hooks.deliveries({ endpointId: id });
    for (let time = 0; time < 2; time++) {
      await clock.advance(1_000);
      await resendDelivery(deps, owner, { id: original?.id ?? "" });
      await deps.db.prisma.webhookDelivery.updateMany({
        where: { endpointId: id, state: "pending" },
        data: { attemptCount: 7, nextAttemptAt: deps.clock.now() },
      });
      await pump.drain();
    }
    await clock.advance(1_000);
    const test = await sendTestEvent(deps, owner, { id });
    await pump.drain();
    expect((await hooks.deliveries({ endpointId: id })).map(({ kind, state }) => [kind, state])).toEqual([
      ["normal", "exhausted"],
      ["resend", "exhausted"],
      ["resend", "exhausted"],
      ["test", "exhausted"],
    ]);
    const [tested] = (await hooks.deliveries({ endpointId: id })).filter(
      (delivery) => delivery.id === test.id,
    );
    expect(tested?.attempts).toHaveLength(1);
    expect(await getEndpoint(deps, owner, { id })).toMatchObject({ consecutiveFailures: 1 });
  });

  deliveryTest("are told to the owners when the creator has left", async ({ hooks, deps, make }) => {
    const owner = await hooks.owner();
    const admin = await make.member(owner.organizationId, "admin");
    const receiver = await hooks.receiver(answer(500));
    await hooks.endpoint(admin, receiver.url);
    await deps.db.prisma.member.delete({
      where: { organizationId_userId: { organizationId: owner.organizationId, userId: admin.userId } },
    });
    const pump = await hooks.pump();
    await hooks.emitNearlyExhausted(owner);
    await pump.drain();
    expect(await notificationsOf(deps, owner)).toEqual([failing(1)]);
    expect(await notificationsOf(deps, admin)).toEqual([]);
  });
});

describe("a disabled endpoint", () => {
  deliveryTest(
    "holds what waits and what is new, and delivers it oldest first when enabled",
    async ({ hooks, deps, clock }) => {
      const owner = await hooks.owner();
      let status = 500;
      const receiver = await hooks.receiver((response) => response.writeHead(status).end());
      const { id } = await hooks.endpoint(owner, receiver.url, { maxInFlight: 1 });
      const pump = await hooks.pump();
      const waiting = await hooks.emit(owner);
      await pump.drain();
      await disableEndpoint(deps, owner, { id });
      const later: string[] = [];
      for (let event = 0; event < 2; event++) {
        await clock.advance(3_600_000);
        later.push(await hooks.emit(owner));
      }
      await pump.drain();
      expect(receiver.requests).toHaveLength(1);
      expect(await hooks.states(id)).toEqual(["held", "held", "held"]);
      expect((await getEndpoint(deps, owner, { id })).held).toBe(3);

      status = 200;
      await enableEndpoint(deps, owner, { id, held: "deliver", perSecond: 1 });
      for (let second = 0; second < 4; second++) {
        await pump.drain();
        expect(receiver.requests).toHaveLength(Math.min(4, 2 + second));
        await clock.advance(1_000);
      }
      expect(receiver.requests.slice(1).map(({ headers }) => headers["svc-webhook-id"])).toEqual([
        waiting,
        ...later,
      ]);
      expect(await hooks.states(id)).toEqual(["succeeded", "succeeded", "succeeded"]);
    },
  );

  deliveryTest(
    "drops held deliveries, if that is chosen, and sends later ones",
    async ({ hooks, deps, clock }) => {
      const owner = await hooks.owner();
      const receiver = await hooks.receiver(answer(200));
      const { id } = await hooks.endpoint(owner, receiver.url);
      await disableEndpoint(deps, owner, { id });
      await hooks.emit(owner);
      const pump = await hooks.pump();
      await enableEndpoint(deps, owner, { id, held: "drop" });
      await pump.drain();
      await clock.advance(1_000);
      const fresh = await hooks.emit(owner);
      await pump.drain();
      expect(receiver.requests.map(({ headers }) => headers["svc-webhook-id"])).toEqual([fresh]);
      expect(await hooks.states(id)).toEqual(["dropped", "succeeded"]);
    },
  );

  deliveryTest("counts from 0 once it is enabled", async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(500));
    const { id } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    await hooks.emitNearlyExhausted(owner, 5);
    await pump.drain();
    const enabled = await enableEndpoint(deps, owner, { id, held: "drop" });
    expect(enabled).toMatchObject({ state: "enabled", consecutiveFailures: 0, disabledReason: null });
    await hooks.emitNearlyExhausted(owner);
    await pump.drain();
    expect(await getEndpoint(deps, owner, { id })).toMatchObject({
      state: "enabled",
      consecutiveFailures: 1,
    });
  });
});

describe("an organization whose webhooks are turned off", () => {
  deliveryTest(
    "has its deliveries held, and delivered once they are on again",
    async ({ hooks, deps, clock }) => {
      const owner = await hooks.owner();
      const receiver = await hooks.receiver(answer(200));
      const { id } = await hooks.endpoint(owner, receiver.url);
      const turn = (webhooksEnabled: boolean) =>
        deps.db.prisma.organization.update({
          where: { id: owner.organizationId },
          data: { webhooksEnabled },
        });
      await hooks.emit(owner);
      await turn(false);
      await hooks.emit(owner);
      const pump = await hooks.pump();
      await pump.drain();
      expect(await hooks.states(id)).toEqual(["held", "held"]);
      await turn(true);
      await pump.drain();
      await clock.advance(1_000);
      await pump.drain();
      expect(receiver.requests).toHaveLength(2);
      expect(await hooks.states(id)).toEqual(["succeeded", "succeeded"]);
    },
  );
});
