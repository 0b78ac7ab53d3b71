import { type Cron, dayMs, firstMatch, parseCron } from "./cron.ts";
import type { Schedule } from "./schedule.ts";
import { isRepeated, type OffsetPeriod, offsetPeriodsOfDay } from "./time-zone.ts";

/*
 * A schedule names wall-clock times. Where the clocks of its zone change, one rule decides:
 * - The clock jumps forward: the times it skips fire once, together, at the moment right after the jump. A
 *   daily 02:30 still runs on that day, and a schedule of every five minutes fires no burst.
 * - The clock jumps back: a time that comes twice fires the first time only, unless the minute or the hour is
 *   written with a * or a step. That means an interval, which goes on through the repeated hour.
 */

/** The first occurrence later than `after`; null for a schedule that never fires. */
export const nextTime = (schedule: Schedule, after: Date): Date | null =>
  nextTimes(schedule, after, 1)[0] ?? null;

/** The first `count` occurrences later than `after`. */
export function nextTimes({ cron, timeZone }: Schedule, after: Date, count: number): Date[] {
  const zoned = { cron: parseCron(cron), timeZone };
  const times: Date[] = [];
  let time: number | null = after.getTime();
  while (times.length < count) {
    time = next(zoned, time);
    if (time === null) break;
    times.push(new Date(time));
  }
  return times;
}

/** The latest occurrence that is later than `after` and not later than `upTo`, however many there are. */
export function lastTime(schedule: Schedule, { after, upTo }: { after: Date; upTo: Date }): Date | null {
  const zoned = { cron: parseCron(schedule.cron), timeZone: schedule.timeZone };
  const notLater = (time: number | null) => (time !== null && time <= upTo.getTime() ? time : null);
  let last = notLater(next(zoned, after.getTime()));
  if (last === null) return null;
  // Nothing fires after this time, up to `upTo`.
  let quietFrom = upTo.getTime();
  while (last < quietFrom) {
    const middle = Math.floor((last + quietFrom) / 2);
    const found = notLater(next(zoned, middle));
    if (found === null) quietFrom = middle;
    else last = found;
  }
  return new Date(last);
}

interface Zoned {
  cron: Cron;
  timeZone: string;
}

function next({ cron, timeZone }: Zoned, after: number): number | null {
  let day = startOfDay(after + 1);
  for (;;) {
    for (const period of offsetPeriodsOfDay(timeZone, day)) {
      const found = firstIn(period, { cron, timeZone }, after);
      if (found !== null) return found;
    }
    // A zone's offset from UTC is less than a day, so nothing fires more than a day before the next matching
    // wall-clock time, read as UTC.
    day += dayMs;
    const wallTime = firstMatch(cron, day - dayMs);
    if (wallTime === null) return null;
    day = Math.max(day, startOfDay(wallTime - dayMs));
  }
}

function firstIn(period: OffsetPeriod, { cron, timeZone }: Zoned, after: number): number | null {
  const { from, to, offset, offsetBefore } = period;
  if (from > after && offset > offsetBefore) {
    const skipped = firstMatch(cron, from + offsetBefore);
    if (skipped !== null && skipped < from + offset) return from;
  }
  for (let earliest = Math.max(after + 1, from); ; ) {
    const wallTime = firstMatch(cron, earliest + offset);
    if (wallTime === null || wallTime - offset >= to) return null;
    const time = wallTime - offset;
    if (cron.isInterval || !isRepeated(timeZone, time)) return time;
    earliest = time + 1;
  }
}

const startOfDay = (time: number): number => Math.floor(time / dayMs) * dayMs;
