import { randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import type { Clock } from "./clock.ts";

/**
 * Ids are UUIDv7: 48 bits of milliseconds, a 12-bit counter, then chance. The counter makes the ids of one
 * process sort in the order in which they were made, within a millisecond too.
 */
export function newId(clock: Clock): string {
  const { milliseconds, counter } = nextTick(clock);
  const bytes = randomBytes(16);
  bytes.writeUIntBE(milliseconds, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

interface Tick {
  milliseconds: number;
  counter: number;
}

const lastTicks = new WeakMap<Clock, Tick>();

/** Never goes back: a clock that stands still or is set back counts on, into the next millisecond if need be. */
function nextTick(clock: Clock): Tick {
  const now = clock.now().getTime();
  const last = lastTicks.get(clock);
  const tick =
    !last || now > last.milliseconds
      ? { milliseconds: now, counter: randomInt(0x400) }
      : last.counter < 0xfff
        ? { milliseconds: last.milliseconds, counter: last.counter + 1 }
        : { milliseconds: last.milliseconds + 1, counter: 0 };
  lastTicks.set(clock, tick);
  return tick;
}

/** In lower case, the one spelling in which ids are stored and compared. */
export const Id = z.uuid({ error: "must be a UUID" }).toLowerCase();
