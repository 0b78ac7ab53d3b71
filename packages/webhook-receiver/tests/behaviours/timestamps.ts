import assert from "node:assert/strict";
import { accepts, at, type Behaviour, refuses, secret, signed } from "./behaviour.ts";

/** How old or new a delivery may be. */
export const timestamps: Record<string, Behaviour> = {
  "accepts a timestamp at both ends of the window": async (kit) => {
    await accepts(() => signed({ timestamp: at - 300 }))(kit);
    await accepts(() => signed({ timestamp: at + 300 }))(kit);
  },
  "refuses a timestamp beyond either end": async (kit) => {
    await refuses("timestamp_too_old", () => signed({ timestamp: at - 301 }))(kit);
    await refuses("timestamp_in_future", () => signed({ timestamp: at + 301 }))(kit);
    await refuses("timestamp_in_future", () => signed({ timestamp: at + 365 * 86_400 }))(kit);
  },
  "never says that a time is off by as much as is accepted": async ({ createReceiver }) => {
    for (const now of [at * 1000 + 300_001, at * 1000 - 300_001]) {
      const receiver = createReceiver({ secrets: secret, clock: () => now });
      await assert.rejects(receiver.verify(signed()), /is 301 seconds (ahead of|behind)/);
    }
  },
  "takes another tolerance": async (kit) => {
    await accepts(() => signed({ timestamp: at - 900 }), { toleranceSeconds: 900 })(kit);
    await refuses("timestamp_too_old", () => signed({ timestamp: at - 1 }), { toleranceSeconds: 0 })(kit);
  },
  "a clock that answers nonsense refuses everything": refuses("timestamp_too_old", signed, {
    clock: () => Number.NaN,
  }),
};
