import { newId } from "@querybell/domain";
import { describe, expect, vi } from "vitest";
import { answer } from "../testing/delivery-tools.ts";
import { pumpTest } from "../testing/pump-test.ts";
import { registerPump, releaseEndpoints } from "./leases.ts";

const expireLease = `UPDATE webhook_pumps SET lease_until = now() - interval '1 second' WHERE id = $1`;

/** A receiver that answers when the test says so. */
function gate(status = 200) {
  const arrived = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    arrived: arrived.promise,
    open: () => opened.resolve(),
    behave: async (response: Parameters<ReturnType<typeof answer>>[0]) => {
      arrived.resolve();
      await opened.promise;
      response.writeHead(status).end();
    },
  };
}

describe("a pump whose lease has run out", () => {
  pumpTest(
    "loses its endpoints to another pump, and records nothing of what it had in flight",
    async ({ hooks, db }) => {
      const owner = await hooks.owner();
      const { arrived, open, behave } = gate(500);
      const receiver = await hooks.receiver((response, request, body) =>
        receiver.requests.length === 1 ? void behave(response) : answer(200)(response, request, body),
      );
      const { id: endpointId } = await hooks.endpoint(owner, receiver.url);
      // It never sweeps in this test, as if the process had been stopped.
      const errors: unknown[] = [];
      const stuck = await hooks.pump({ sweepEveryMs: 3_600_000, onError: (error) => errors.push(error) });
      await hooks.emit(owner);
      await arrived;
      const [{ id: stuckId } = {}, ...others] = await db.prisma.webhookPump.findMany();
      expect(others).toEqual([]);
      const next = await hooks.pump();
      // A sweep leaves a pump's row alone while somebody else has locked it; a later one expires the pump. And the stuck
      // pump may still be in the sweep that it does when it begins to listen, which renews its lease.
      await vi.waitFor(
        async () => {
          await db.pool.query(expireLease, [stuckId]);
          await next.drain();
          expect(receiver.requests).toHaveLength(2);
        },
        { timeout: 60_000 },
      );
      const [taken] = await hooks.deliveries({ endpointId });
      expect(taken).toMatchObject({ state: "succeeded", attemptCount: 1 });

      open();
      await stuck.drain();
      const [after] = await hooks.deliveries({ endpointId });
      expect(after).toEqual(taken);
      expect(await db.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: endpointId } })).toMatchObject({
        consecutiveFailures: 0,
      });
      expect(errors).toEqual([
        expect.objectContaining({ message: expect.stringContaining("lost its lease") }),
      ]);
    },
  );

  pumpTest("starts again under a new lease and delivers", async ({ hooks, db }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump({ onError: () => {} });
    await db.pool.query("DELETE FROM webhook_pumps");
    await hooks.emit(owner);
    await pump.drain();
    expect(await hooks.states(id)).toEqual(["succeeded"]);
  });
});

describe("a pump that cannot start again", () => {
  pumpTest("retries until the database accepts it", async ({ hooks, db }) => {
    const { pool } = db;
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id } = await hooks.endpoint(owner, receiver.url);
    const refused = Promise.withResolvers<void>();
    const onError = (error: unknown) => void (String(error).includes("not now") && refused.resolve());
    const pump = await hooks.pump({ sweepEveryMs: 20, onError });
    await pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''not now''; END';
      CREATE TRIGGER refuse BEFORE INSERT ON webhook_pumps EXECUTE FUNCTION refuse();
      DELETE FROM webhook_pumps`);
    await refused.promise;
    await pool.query("DROP FUNCTION refuse CASCADE");
    await hooks.emit(owner);
    await pump.drain();
    expect(await hooks.states(id)).toEqual(["succeeded"]);
  });
});

describe("an event that is emitted while a pump releases its endpoint", () => {
  pumpTest("is found by the next sweep of any pump", async ({ hooks, db, clock }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id } = await hooks.endpoint(owner, receiver.url);
    const holder = newId(clock);
    await registerPump(db.pool, holder);
    await db.prisma.webhookEndpoint.update({ where: { id }, data: { leaseOwner: holder } });
    // The emitter sees that the endpoint is held, so it wakes only the pump that holds it.
    await hooks.emit(owner);
    await releaseEndpoints(db.pool, holder, [id]);
    const pump = await hooks.pump();
    await pump.drain();
    expect(await hooks.states(id)).toEqual(["succeeded"]);
  });
});

describe("a pump that is stopped", () => {
  pumpTest("finishes what is in flight, records it, and releases its endpoints", async ({ hooks, db }) => {
    const owner = await hooks.owner();
    const { arrived, open, behave } = gate();
    const receiver = await hooks.receiver((response) => void behave(response));
    const { id: endpointId } = await hooks.endpoint(owner, receiver.url, { maxInFlight: 1 });
    const pump = await hooks.pump();
    await hooks.emit(owner);
    await hooks.emit(owner);
    await arrived;
    const stopped = pump.stop();
    open();
    await stopped;
    expect(receiver.requests).toHaveLength(1);
    expect((await hooks.states(endpointId)).sort()).toEqual(["pending", "succeeded"]);
    const { leaseOwner } = await db.prisma.webhookEndpoint.findUniqueOrThrow({
      where: { id: endpointId },
    });
    expect(leaseOwner).toBeNull();
    const next = await hooks.pump();
    await next.drain();
    expect(await hooks.states(endpointId)).toEqual(["succeeded", "succeeded"]);
  });
});
