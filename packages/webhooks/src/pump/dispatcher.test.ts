import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished } from "vitest";
import type { AttemptResult } from "../send/outcome.ts";
import type { Sender } from "../send/sender.ts";
import { answer } from "../testing/delivery-tools.ts";
import { pumpTest } from "../testing/pump-test.ts";

describe("an endpoint's limits", () => {
  pumpTest("on attempts in flight are kept, and used", async ({ hooks }) => {
    const owner = await hooks.owner();
    const open: ServerResponse[] = [];
    let most = 0;
    const receiver = await hooks.receiver((response) => {
      most = Math.max(most, open.push(response));
      const { length: arrived } = receiver.requests;
      // The first ten are answered at once, so that the window grows. After that, responses wait until three
      // requests are open, and one more turn of the event loop, in which a fourth could arrive.
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

  pumpTest("on attempts a second are kept as time passes", async ({ hooks, clock }) => {
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

  pumpTest(
    "on attempts a second begin when they are set, whatever was sent before",
    async ({ hooks, db, clock }) => {
      const owner = await hooks.owner();
      const receiver = await hooks.receiver(answer(200));
      const { id } = await hooks.endpoint(owner, receiver.url);
      const pump = await hooks.pump();
      for (let event = 0; event < 10; event++) await hooks.emit(owner);
      await pump.drain();
      await hooks.updateEndpoint(id, { maxPerSecond: 5 });
      await db.transaction(async (tx) => {
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
});

describe("an endpoint whose secret was replaced by a process with a later clock", () => {
  pumpTest("gets its deliveries, signed with the new secret", async ({ hooks, db, clock }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id } = await hooks.endpoint(owner, receiver.url);
    await db.prisma.webhookSecret.deleteMany({ where: { endpointId: id } });
    const minuteLater = new Date(clock.now().getTime() + 60_000);
    const secret = await hooks.insertSecret(id, minuteLater);
    const pump = await hooks.pump();
    await hooks.emit(owner);
    await pump.drain();
    expect(await hooks.states(id)).toEqual(["succeeded"]);
    expect(await db.prisma.webhookAttempt.count({ where: { secretId: secret.id } })).toBe(1);
  });
});

describe("endpoints that hang", () => {
  pumpTest("leave the others their slots", async ({ hooks }) => {
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
    // Attempts that hang take all slots of the untried lane. The slots are freed long before those attempts
    // end.
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

describe("endpoints that were not tried yet", () => {
  pumpTest("do not all start in one turn of the event loop", async ({ hooks, clock }) => {
    const owner = await hooks.owner();
    for (let index = 0; index < 24; index++) await hooks.endpoint(owner, `http://127.0.0.1:9/${index}`);
    let turn = 0;
    let isRunning = true;
    const count = () => {
      turn += 1;
      if (isRunning) setImmediate(count);
    };
    count();
    onTestFinished(() => {
      isRunning = false;
    });
    const startedIn: number[] = [];
    const sender: Sender = {
      async send({ url }) {
        if (url.startsWith("http://127.0.0.1:9/")) startedIn.push(turn);
        return success(clock.now());
      },
      close: () => {},
    };
    const pump = await hooks.pump({ sender });
    await hooks.emit(owner);
    await pump.drain();
    expect(startedIn).toHaveLength(24);
    const perTurn = Map.groupBy(startedIn, (number) => number);
    // The count of turns and the budget are renewed at different moments of a turn.
    expect(Math.max(...[...perTurn.values()].map((started) => started.length))).toBeLessThanOrEqual(4);
  });
});

const success = (startedAt: Date): AttemptResult => ({
  outcome: { kind: "success", status: 200 },
  startedAt,
  headers: [],
  address: undefined,
  reusedConnection: false,
  timings: { dns: undefined, connect: undefined, tls: undefined, firstByte: undefined, total: 1 },
  response: undefined,
});
