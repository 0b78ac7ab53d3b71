import { once } from "node:events";
import { getEndpoint } from "@querybell/core/webhooks";
import { describe, expect } from "vitest";
import { answer, deliveryTest } from "./testing/delivery-test.ts";

const expireLeases = `UPDATE webhook_pumps SET lease_until = now() - interval '1 second'`;

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
  deliveryTest(
    "loses its endpoints to another, and writes nothing of what it had in flight",
    async ({ hooks, deps }) => {
      const owner = await hooks.owner();
      const { arrived, open, behave } = gate(500);
      const receiver = await hooks.receiver((response, request) =>
        receiver.requests.length === 1 ? void behave(response) : answer(200)(response, request),
      );
      const { id: endpointId } = await hooks.endpoint(owner, receiver.url);
      // It never sweeps in this test, as if the process had been stopped.
      const errors: unknown[] = [];
      const stuck = await hooks.pump({ sweepEveryMs: 3_600_000, onError: (error) => errors.push(error) });
      await hooks.emit(owner);
      await arrived;
      await deps.db.pool.query(expireLeases);
      const next = await hooks.pump();
      await next.drain();
      expect(receiver.requests).toHaveLength(2);
      const [taken] = await hooks.deliveries({ endpointId });
      expect(taken).toMatchObject({ state: "succeeded", attemptCount: 1 });

      open();
      await stuck.drain();
      const [after] = await hooks.deliveries({ endpointId });
      expect(after).toEqual(taken);
      expect(await getEndpoint(deps, owner, { id: endpointId })).toMatchObject({ consecutiveFailures: 0 });
      expect(errors).toEqual([
        expect.objectContaining({ message: expect.stringContaining("lost its lease") }),
      ]);
    },
  );

  deliveryTest("begins anew and delivers again", async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump({ onError: () => {} });
    await deps.db.pool.query("DELETE FROM webhook_pumps");
    await hooks.emit(owner);
    await pump.drain();
    expect(await hooks.states(id)).toEqual(["succeeded"]);
  });
});

describe("a pump that cannot begin anew", () => {
  deliveryTest("tries until the database lets it", async ({ hooks, deps }) => {
    const { pool } = deps.db;
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

describe("a pump that is stopped", () => {
  deliveryTest(
    "finishes what is in flight, writes it down, and frees its endpoints",
    async ({ hooks, deps }) => {
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
      const { leaseOwner } = await deps.db.prisma.webhookEndpoint.findUniqueOrThrow({
        where: { id: endpointId },
      });
      expect(leaseOwner).toBeNull();
      const next = await hooks.pump();
      await next.drain();
      expect(await hooks.states(endpointId)).toEqual(["succeeded", "succeeded"]);
    },
  );
});

describe("an event", () => {
  deliveryTest(
    "is sent as soon as its transaction commits, and not if it does not",
    async ({ hooks, deps }) => {
      const owner = await hooks.owner();
      const receiver = await hooks.receiver(answer(200));
      await hooks.endpoint(owner, receiver.url);
      // Only the wake-up can tell this pump: it sweeps once, at its start.
      const pump = await hooks.pump({ sweepEveryMs: 3_600_000 });
      await pump.drain();
      const sent = once(receiver.server, "request");
      await hooks.emit(owner);
      await sent;
      await pump.drain();

      const { organizationId } = owner;
      const regretted = deps.db.transaction(async (tx) => {
        await hooks.emitIn(tx, { organizationId, cause: "automation_run:regretted" });
        throw new Error("changed my mind");
      });
      await expect(regretted).rejects.toThrow("changed my mind");
      await pump.drain();
      expect(receiver.requests).toHaveLength(1);
    },
  );

  deliveryTest(
    "is emitted once for one cause, whoever else emits it at the same time",
    async ({ hooks, deps }) => {
      const { organizationId } = await hooks.owner();
      const emit = () =>
        deps.db.transaction((tx) => hooks.emitIn(tx, { organizationId, cause: "automation_run:one" }));
      const ids = await Promise.all([emit(), emit(), emit()]);
      expect(ids.filter((id) => id !== undefined)).toHaveLength(1);
      expect(await deps.db.prisma.webhookEvent.count({ where: { organizationId } })).toBe(1);
    },
  );

  deliveryTest(
    "goes to the endpoints that subscribe to its type, of its organization alone",
    async ({ hooks }) => {
      const [owner, stranger] = [await hooks.owner(), await hooks.owner()];
      const receiver = await hooks.receiver(answer(200));
      await hooks.endpoint(owner, `${receiver.url}/both`);
      await hooks.endpoint(owner, `${receiver.url}/failed`, { eventTypes: ["automation.run.failed"] });
      await hooks.endpoint(stranger, `${receiver.url}/stranger`);
      const pump = await hooks.pump();
      await hooks.emit(owner);
      await pump.drain();
      expect(receiver.requests.map(({ path }) => path)).toEqual(["/hook/both"]);
      const sent = JSON.parse(receiver.requests[0]?.body.toString() ?? "");
      expect(sent).toEqual({
        id: receiver.requests[0]?.headers["svc-webhook-id"],
        type: "automation.run.completed",
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        data: {
          automationId: expect.any(String),
          runId: expect.any(String),
          summary: "All went well.",
          chatUrl: "http://localhost:4000/chats/1",
          imageUrl: null,
        },
      });
    },
  );
});
