import { once } from "node:events";
import { describe, expect } from "vitest";
import { answer } from "../testing/delivery-tools.ts";
import { pumpTest } from "../testing/pump-test.ts";

describe("an event", () => {
  pumpTest("is sent as soon as its transaction commits, and not if it does not", async ({ hooks, db }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    await hooks.endpoint(owner, receiver.url);
    // Only a wake-up makes this pump send: it does not sweep again during the test.
    const pump = await hooks.pump({ sweepEveryMs: 3_600_000 });
    await pump.drain();
    const sent = once(receiver.server, "request");
    await hooks.emit(owner);
    await sent;
    await pump.drain();

    const { organizationId } = owner;
    const regretted = db.transaction(async (tx) => {
      await hooks.emitIn(tx, { organizationId, cause: "automation_run:regretted" });
      throw new Error("changed my mind");
    });
    await expect(regretted).rejects.toThrow("changed my mind");
    await pump.drain();
    expect(receiver.requests).toHaveLength(1);
  });

  pumpTest("is emitted once for one cause, also by concurrent transactions", async ({ hooks, db }) => {
    const { organizationId } = await hooks.owner();
    const emit = () =>
      db.transaction((tx) => hooks.emitIn(tx, { organizationId, cause: "automation_run:one" }));
    const ids = await Promise.all([emit(), emit(), emit()]);
    expect(ids.filter((id) => id !== undefined)).toHaveLength(1);
    expect(await db.prisma.webhookEvent.count({ where: { organizationId } })).toBe(1);
  });

  pumpTest(
    "goes to the endpoints that subscribe to its type, of its organization alone",
    async ({ hooks }) => {
      const [owner, other] = [await hooks.owner(), await hooks.owner()];
      const receiver = await hooks.receiver(answer(200));
      await hooks.endpoint(owner, `${receiver.url}/both`);
      await hooks.endpoint(owner, `${receiver.url}/failed`, { eventTypes: ["automation.run.failed"] });
      await hooks.endpoint(other, `${receiver.url}/other`);
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
