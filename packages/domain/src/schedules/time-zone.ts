import { dayMs } from "./wall-clock.ts";

/** A time during which a zone keeps one offset, and the offset it had right before. */
export interface Stretch {
  from: number;
  to: number;
  offset: number;
  offsetBefore: number;
}

// Costly to make. By name in lower case, so that there are no more than there are zones.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const name = timeZone.toLowerCase();
  const known = formatters.get(name);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  formatters.set(name, made);
  return made;
}

/** Names only: an offset like +02:00 knows no daylight saving, and is not what people mean. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds from UTC to the wall clock of the zone. */
function offsetAt(timeZone: string, time: number): number {
  const text = formatterOf(timeZone).format(time);
  const [found, sign, hours, minutes, seconds] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text) ?? [];
  if (found === undefined) throw new Error(`The offset of ${timeZone} cannot be read from "${text}".`);
  const size = (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000;
  return sign === "-" ? -size : size;
}

/** The stretches of one day of UTC, in which no zone changes its offset twice. */
export function stretchesOfDay(timeZone: string, day: number): Stretch[] {
  const [end, before, after] = [
    day + dayMs,
    offsetAt(timeZone, day - 1),
    offsetAt(timeZone, day + dayMs - 1),
  ];
  if (before === after) return [{ from: day, to: end, offset: before, offsetBefore: before }];
  let [unchanged, changed] = [day - 1, end - 1];
  while (changed - unchanged > 1) {
    const middle = Math.floor((unchanged + changed) / 2);
    if (offsetAt(timeZone, middle) === before) unchanged = middle;
    else changed = middle;
  }
  return [
    { from: day, to: changed, offset: before, offsetBefore: before },
    { from: changed, to: end, offset: after, offsetBefore: before },
  ];
}

/** Whether the wall clock had shown this time once before, ahead of a jump back. */
export function isRepeated(timeZone: string, time: number): boolean {
  const before = offsetAt(timeZone, time - dayMs);
  const earlier = time + offsetAt(timeZone, time) - before;
  return earlier < time && offsetAt(timeZone, earlier) === before;
}
