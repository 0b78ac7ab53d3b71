import { type Clock, newId, type WebhookOccurrence } from "@querybell/domain";
import { createReceiver } from "@querybell/webhook-receiver";
import { isEvent } from "@querybell/webhook-receiver/events";
import { expect } from "vitest";
import { answer } from "../testing/delivery-tools.ts";
import { emitEvents } from "../testing/emit-events.ts";
import { pumpTest } from "../testing/pump-test.ts";

/** An event whose body the pump reads only when it sends it. */
function largeEvent(clock: Clock): WebhookOccurrence & { type: "automation.rows.changed" } {
  const cells = [1, "9007199254740993", `ä"\0${"x".repeat(1_000)}`, null];
  const rows = Array.from({ length: 200 }, (_, id) => ({
    ...{ change: "entered" as const, key: [id], now: [id, ...cells], before: null, omittedCells: null },
  }));
  return {
    type: "automation.rows.changed",
    data: {
      ...{ automationId: newId(clock), runId: newId(clock), chart: "w7hq4k2ma2", part: 1, parts: 1 },
      ...{
        entered: 200,
        left: 0,
        changed: 0,
        omittedRows: 0,
        key: ["id"],
        fields: [],
        fieldsBefore: [],
        rows,
      },
      chatUrl: "http://localhost:4000/chats/1",
    },
  };
}

const test = pumpTest.extend("large", async ({ hooks, db, clock }) => {
  const { organizationId, userId } = await hooks.owner();
  const receiver = await hooks.receiver(answer(200));
  const endpoint = await hooks.endpoint({ organizationId, userId }, receiver.url, {
    eventTypes: ["automation.rows.changed"],
  });
  const occurrence = largeEvent(clock);
  const cause = `automation_rows:${occurrence.data.runId}:1`;
  await db.transaction((tx) => emitEvents({ tx, clock }, [{ organizationId, occurrence, cause }]));
  return { receiver, endpoint, rows: occurrence.data.rows };
});

test("a large event is sent whole, although the pump does not buffer its body", async ({
  hooks,
  clock,
  large: { receiver, endpoint, rows },
}) => {
  const pump = await hooks.pump();
  await pump.drain();
  const [request, ...others] = receiver.requests;
  if (!request) expect.unreachable("Nothing was sent.");
  expect(others).toEqual([]);
  expect(request.body.length).toBeGreaterThan(200_000);
  const kit = createReceiver({ secrets: endpoint.secret.secret, clock: () => clock.now().getTime() });
  const event = kit.verifySync({ headers: request.headers, body: request.body }).event();
  expect(isEvent(event, "automation.rows.changed") && event.data.rows).toEqual(rows);
});

test("a body that could not be read is no attempt: it is read again and sent", async ({
  hooks,
  db: { pool },
  large: { receiver, endpoint },
}) => {
  const lost: unknown[] = [];
  let failuresLeft = 10;
  /** Loses the connection in the first reads of the body, as in a failover. */
  const failingPool = Object.assign(Object.create(pool), {
    query: async (statement: { name?: string }) => {
      if (statement.name === "read_webhook_event_body" && failuresLeft-- > 0)
        throw new Error("Connection lost");
      return pool.query(statement as Parameters<typeof pool.query>[0]);
    },
  });
  const pump = await hooks.pump({ pool: failingPool, onError: (error) => lost.push(error) });
  await expect.poll(() => receiver.requests.length).toBe(1);
  await pump.drain();
  expect(lost).toHaveLength(10);
  const [delivery] = await hooks.deliveries({ endpointId: endpoint.id });
  expect(delivery).toMatchObject({ state: "succeeded", attemptCount: 1 });
});
