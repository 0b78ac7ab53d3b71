import { createTestSecret, signedHeaders } from "@querybell/webhook-test-sender";
import { expect, test } from "vitest";
import { type EventTypes, isEvent } from "../src/events.ts";
import { createReceiver } from "../src/index.node.ts";
import { type SentEvent, sampleEvent } from "../src/testing.ts";

const secret = createTestSecret();
const receiver = createReceiver({ secrets: secret });

async function eventOf(sent: SentEvent) {
  const body = JSON.stringify(sent);
  return (await receiver.verify({ headers: signedHeaders({ secret, body, id: sent.id }), body })).event();
}

const types = [
  "automation.run.completed",
  "automation.run.failed",
  "automation.condition.met",
  "automation.condition.resolved",
  "automation.rows.changed",
  "audit.entry.created",
] as const satisfies (keyof EventTypes)[];

test.each(types)("%s is told from all other types", async (type) => {
  const event = await eventOf(sampleEvent(type));
  expect(types.filter((one) => isEvent(event, one))).toEqual([type]);
  // Programs that were written for the first two types go on as before.
  expect(event.known).toBe(type.startsWith("automation.run."));
});

test("an event of a type without what the type promises is an error, as with the first two types", async () => {
  const { data, ...sent } = sampleEvent("automation.rows.changed");
  const { rows, ...rest } = data;
  const event = await eventOf({ ...sent, data: rest });
  expect(() => isEvent(event, "automation.rows.changed")).toThrow(
    expect.objectContaining({ code: "malformed_event", message: expect.stringContaining("rows is missing") }),
  );
  expect(rows).toHaveLength(2);
});
