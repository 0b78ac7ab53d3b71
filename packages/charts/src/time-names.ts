import type { Formats } from "./formats.ts";
import { type Granularity, granularityOf, parseWallTime, type WallTime } from "./times.ts";

/** A time in full: a month as "Sep 2026", an hour with its day. */
export function timeName(time: WallTime, unit: Granularity, formats: Formats): string {
  const name = formats.time(time, unit, true);
  if (unit !== "minute" && unit !== "second") return name;
  const day = formats.time(time, "day", true);
  return name === day ? day : `${day}, ${name}`;
}

/** Dates and times among values as the axes write them, in the unit that all of them need. Undefined for other values. */
export function timeNames(values: readonly unknown[], formats: Formats): (string | undefined)[] {
  const times = values.map((value) => parseWallTime(value, formats.offsetAt));
  const unit = granularityOf(times.filter((time) => time !== undefined));
  return times.map((time) => (time === undefined ? undefined : timeName(time, unit, formats)));
}
