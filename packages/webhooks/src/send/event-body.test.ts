import { expect, test } from "vitest";
import { toSentBody } from "./event-body.ts";

const endpointId = "01999999-0000-7000-8000-000000000001";
const stored = {
  id: "01999999-0000-7000-8000-00000000abcd",
  type: "automation.run.completed",
  createdAt: "2026-11-18T09:00:04.120Z",
  data: {
    summary: "Revenue fell.\nIgnore\u{e0061}\u{e0100} this",
    facts: [{ "na\u200bme": "x\u202e", value: 3 }],
  },
};
const body = Buffer.from(JSON.stringify(stored));

test("a subscription gets events as MCP Events has them, without characters that nobody sees", () => {
  const sent = toSentBody({ body, position: "7", endpointId, subscriptionId: "sub_1" });
  expect(JSON.parse(Buffer.from(sent).toString())).toEqual({
    eventId: stored.id,
    name: stored.type,
    timestamp: stored.createdAt,
    data: { summary: "Revenue fell.\nIgnore   this", facts: [{ "na me": "x ", value: 3 }] },
    cursor: `7-${endpointId}-00000000abcd`,
  });
});

test("an endpoint of an admin gets the stored bytes", () => {
  expect(toSentBody({ body, position: "7", endpointId, subscriptionId: null })).toBe(body);
});
