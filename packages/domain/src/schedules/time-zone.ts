import { editDistance } from "../edit-distance.ts";
import { dayMs } from "./cron.ts";

/** A period with a constant offset, and the offset before it. */
export interface OffsetPeriod {
  from: number;
  to: number;
  offset: number;
  offsetBefore: number;
}

// Expensive to create, so cached. The key is the name in lower case, which limits the cache to the number of zones.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const name = timeZone.toLowerCase();
  const known = formatters.get(name);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  formatters.set(name, made);
  return made;
}

/** Accepts only names. An offset like +02:00 has no daylight saving time. */
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

/** The periods of one UTC day. No zone changes its offset twice in a day. */
export function offsetPeriodsOfDay(timeZone: string, day: number): OffsetPeriod[] {
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

/** Whether the wall clock shows this time for the second time, after it was set back. */
export function isRepeated(timeZone: string, time: number): boolean {
  const before = offsetAt(timeZone, time - dayMs);
  const earlier = time + offsetAt(timeZone, time) - before;
  return earlier < time && offsetAt(timeZone, earlier) === before;
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** The zone whose name is most similar to this one, if any is: for "Prague" or "Europe/Pragu". */
export function suggestTimeZone(name: string): string | undefined {
  const wanted = name.trim().toLowerCase().replaceAll(/\s+/g, "_").slice(0, 100);
  const farthest = Math.floor(wanted.length / 3);
  let nearest: { zone: string; distance: number } | undefined;
  for (const zone of ["UTC", ...Intl.supportedValuesOf("timeZone")]) {
    const full = zone.toLowerCase();
    const distance = Math.min(
      editDistance(wanted, full, farthest),
      editDistance(lastPart(wanted), lastPart(full), farthest) + (wanted.includes("/") ? 1 : 0),
    );
    if (distance <= farthest && distance < (nearest?.distance ?? Infinity)) nearest = { zone, distance };
  }
  return nearest?.zone;
}
