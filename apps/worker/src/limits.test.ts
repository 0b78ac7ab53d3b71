import type { ServerResponse } from "node:http";
import { getDelivery, updateEndpoint } from "@querybell/core/webhooks";
import { describe, expect } from "vitest";
import { answer, deliveryTest } from "./testing/delivery-test.ts";

describe("an endpoint's limits", () => {
  deliveryTest("on attempts in flight are kept, and used", async ({ hooks }) => {
    const owner = await hooks.owner();
    const open: ServerResponse[] = [];
    let most = 0;
    const receiver = await hooks.receiver((response) => {
      most = Math.max(most, open.push(response));
      const { length: arrived } = receiver.requests;
      // Few are sent at once until some were answered; then an answer waits for two others to arrive, and for
      // a turn of the event loop in which more could.
      if (arrived > 10 && arrived < 40 && open.length < 3) return;
      setImmediate(() => {
        for (const waiting of open.splice(0)) waiting.end();
      });
    });
    const { id } = await hooks.endpoint(owner, receiver.url, { maxInFlight: 3 });
    for (let event = 0; event < 40; event++) await hooks.emit(owner);
    const pump = await hooks.pump();
    await pump.drain();
    expect(new Set(await hooks.states(id))).toEqual(new Set(["succeeded"]));
    expect(most).toBe(3);
  });

  deliveryTest("on attempts a second are kept as time passes", async ({ hooks, clock }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    await hooks.endpoint(owner, receiver.url, { maxPerSecond: 5 });
    for (let event = 0; event < 12; event++) await hooks.emit(owner);
    const pump = await hooks.pump();
    for (let arrived = 1; arrived <= 12; arrived++) {
      await pump.drain();
      expect(receiver.requests).toHaveLength(arrived);
      await clock.advance(200);
    }
  });

  deliveryTest(
    "on attempts a second begin when they are set, whatever was sent before",
    async ({ hooks, deps, clock }) => {
      const owner = await hooks.owner();
      const receiver = await hooks.receiver(answer(200));
      const { id } = await hooks.endpoint(owner, receiver.url);
      const pump = await hooks.pump();
      for (let event = 0; event < 10; event++) await hooks.emit(owner);
      await pump.drain();
      await updateEndpoint(deps, owner, { id, maxPerSecond: 5 });
      await deps.db.transaction(async (tx) => {
        const { organizationId } = owner;
        for (const cause of ["one", "two", "three"]) await hooks.emitIn(tx, { organizationId, cause });
      });
      for (const arrived of [11, 12, 13]) {
        await pump.drain();
        expect(receiver.requests).toHaveLength(arrived);
        await clock.advance(200);
      }
    },
  );

  deliveryTest("and its URL can be changed for what waits already", async ({ hooks, deps, clock }) => {
    const owner = await hooks.owner();
    const [old, moved] = [await hooks.receiver(answer(500)), await hooks.receiver(answer(200))];
    const { id } = await hooks.endpoint(owner, old.url);
    const pump = await hooks.pump();
    await hooks.emit(owner);
    await pump.drain();
    await updateEndpoint(deps, owner, { id, url: `${moved.url}/%2e%2e/new` });
    await clock.advance(33_000);
    await pump.drain();
    expect([old.requests.length, moved.requests.length]).toEqual([1, 1]);
    const [delivery] = await hooks.deliveries({ endpointId: id });
    const { attempts } = await getDelivery(deps, owner, { id: delivery?.id ?? "" });
    expect(attempts.map(({ url }) => url)).toEqual([old.url, new URL("/new", moved.url).href]);
    expect(moved.requests[0]?.path).toBe("/new");
  });
});

describe("an endpoint whose settings cannot be opened", () => {
  deliveryTest("keeps its deliveries, and holds nobody else up", async ({ hooks, deps }) => {
    const [owner, other] = [await hooks.owner(), await hooks.owner()];
    const receiver = await hooks.receiver(answer(200));
    const unreadable = await hooks.endpoint(owner, receiver.url);
    const readable = await hooks.endpoint(other, receiver.url);
    const errors: unknown[] = [];
    const pump = await hooks.pump({ onError: (error) => errors.push(error) });
    await hooks.emit(owner);
    await pump.drain();
    await deps.db.prisma.webhookEndpoint.update({
      where: { id: unreadable.id },
      data: { sealedHeaders: "sealed with a key that is gone", revision: { increment: 1 } },
    });
    await hooks.emit(owner);
    await hooks.emit(other);
    await pump.drain();
    await pump.stop();
    expect(await hooks.states(readable.id)).toEqual(["succeeded"]);
    expect((await hooks.states(unreadable.id)).sort()).toEqual(["pending", "succeeded"]);
    expect(errors).not.toEqual([]);
  });
});

describe("endpoints that hang", () => {
  deliveryTest("leave the others their slots", async ({ hooks }) => {
    const [slowOwner, owner] = [await hooks.owner(), await hooks.owner()];
    const hung: ServerResponse[] = [];
    const { promise: full, resolve: isFull } = Promise.withResolvers<void>();
    let released = false;
    const hanging = await hooks.receiver((response) => {
      if (released) response.end();
      else if (hung.push(response) === 4) isFull();
    });
    const { promise: delivered, resolve: allDelivered } = Promise.withResolvers<void>();
    const receiver = await hooks.receiver((response) => {
      response.end();
      if (receiver.requests.length === 5) allDelivered();
    });
    for (let index = 0; index < 4; index++) await hooks.endpoint(slowOwner, `${hanging.url}/${index}`);
    const { id } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump({ slots: { healthy: 1, untried: 4, struggling: 5 } });
    await hooks.emit(slowOwner);
    await hooks.emit(slowOwner);
    await full;
    // Every slot for untried endpoints hangs now; they are given back long before those attempts end.
    for (let event = 0; event < 5; event++) await hooks.emit(owner);
    await delivered;
    expect(hung).toHaveLength(4);
    expect(pump.stats().inFlight.struggling).toBeGreaterThanOrEqual(4);
    released = true;
    for (const response of hung) response.end();
    await pump.stop();
    expect(new Set(await hooks.states(id))).toEqual(new Set(["succeeded"]));
  });
});
