import assert from "node:assert/strict";
import type * as Kit from "../../src/index.web.ts";
import { type Behaviour, clock, event, secret, signed } from "./behaviour.ts";

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
  "a body that is no event still verifies, and says so when asked": async ({ createReceiver }) => {
    const wrong = [
      "junk",
      "null",
      "[]",
      "{}",
      JSON.stringify({ ...event, id: "x" }),
      JSON.stringify({ ...event, data: {} }),
    ];
    for (const text of wrong) {
      const delivery = await createReceiver({ secrets: secret, clock }).verify(signed({ body: text }));
      assert.throws(
        () => delivery.event(),
        (error: Kit.WebhookError) => error.code === "malformed_event",
      );
    }
  },
};
