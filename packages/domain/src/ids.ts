import { randomInt, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Clock } from "./time.ts";
import { unlessAbsent } from "./zod-messages.ts";

/**
 * Ids are UUIDv7: 48 bits of milliseconds, a 12-bit counter, then random bits. With the counter, the ids of one process
 * sort in the order of creation, also within a millisecond.
 */
export function newId(clock: Clock): string {
  const { milliseconds, counter } = nextTick(clock);
  const time = milliseconds.toString(16).padStart(12, "0");
  const count = counter.toString(16).padStart(3, "0");
  // The variant and the random bits of a UUIDv4, which have the same form in a UUIDv7.
  const chance = randomUUID().slice(19);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${chance}`;
}

interface Tick {
  milliseconds: number;
  counter: number;
}

const lastTicks = new WeakMap<Clock, Tick>();

/** Monotonic: if the clock stands still or goes back, the counter continues, into the next millisecond if necessary. */
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

/** The lowest id of a time: the lower bound of ids created since then. */
export function lowestIdAt(time: Date): string {
  const milliseconds = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7000-8000-000000000000`;
}

/** Lower case, as ids are stored and compared. */
export const Id = z.uuid({ error: unlessAbsent("must be a UUID") }).toLowerCase();
