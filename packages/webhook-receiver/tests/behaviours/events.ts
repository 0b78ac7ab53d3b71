import assert from "node:assert/strict";
import type * as Kit from "../../src/index.web.ts";
import { type Behaviour, clock, event, secret, signed } from "./behaviour.ts";

/** The JSON of a value in which the `|` is a byte that UTF-8 does not have. */
function withInvalidByte(value: unknown): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return bytes.map((byte) => (byte === "|".charCodeAt(0) ? 0xff : byte));
}

/** The event in a verified body. */
export const events: Record<string, Behaviour> = {
  "an event of an unknown type is a value": async ({ createReceiver }) => {
    for (const type of ["automation.run.paused", "constructor", "__proto__"]) {
      const later = JSON.stringify({ ...event, type, data: { since: 5 } });
      const parsed = (
        await createReceiver({ secrets: secret, clock }).verify(signed({ body: later }))
      ).event();
      assert.equal(parsed.known, false);
      assert.equal(parsed.type, type);
      assert.deepEqual(parsed.data, { since: 5 });
    }
  },
  "fields added to a known event are kept": async ({ createReceiver }) => {
    const grown = JSON.stringify({ ...event, data: { ...event.data, cost: 7 } });
    const parsed = (await createReceiver({ secrets: secret, clock }).verify(signed({ body: grown }))).event();
    assert.ok(parsed.known);
    assert.deepEqual(parsed.data, { ...event.data, cost: 7 });
  },
  "a run that failed says why": async ({ createReceiver }) => {
    const data = { automationId: "a", runId: "r", reason: "stopped" };
    const failed = { ...event, type: "automation.run.failed", data };
    const request = signed({ body: JSON.stringify(failed) });
    const parsed = (await createReceiver({ secrets: secret, clock }).verify(request)).event();
    assert.deepEqual(parsed, { ...failed, known: true });
  },
  "a body that is no event still verifies, and says so when asked": async ({ createReceiver }) => {
    const wrong = [
      "junk",
      "null",
      "[]",
      "{}",
      JSON.stringify({ ...event, id: "x" }),
      JSON.stringify({ ...event, createdAt: 5 }),
      JSON.stringify({ ...event, data: {} }),
      JSON.stringify({ ...event, data: { ...event.data, summary: undefined } }),
      JSON.stringify({ ...event, type: "automation.run.failed" }),
      ...[[], null, "text"].map((data) => JSON.stringify({ ...event, type: "automation.run.paused", data })),
      withInvalidByte({ ...event, type: "automation.run.paused", data: { text: "|" } }),
    ];
    for (const content of wrong) {
      const delivery = await createReceiver({ secrets: secret, clock }).verify(signed({ body: content }));
      assert.throws(
        () => delivery.event(),
        (error: Kit.WebhookError) => error.code === "malformed_event",
      );
    }
  },
};
