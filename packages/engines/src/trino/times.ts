import { EngineError } from "../engine.ts";
import { isoDate, isoDuration, isoTimestamp } from "../results/iso-time.ts";

const datePattern = /^([+-]?\d{4,})-(\d{2})-(\d{2})$/;
const timestampPattern =
  /^([+-]?\d{4,})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,12}))?(?: (\S+))?$/;
const secondsPerDay = 86_400;

export function encodeDate(text: string): string {
  const [, year, month, day] = datePattern.exec(text) ?? [];
  return year === undefined ? text : isoDate(Number(year), Number(month), Number(day));
}

/** 10:00:00.500+02:00 */
export const encodeTime = (text: string): string =>
  text.replace(/\.(\d+)/, (_, fraction: string) => {
    const digits = withoutZeros(fraction);
    return digits === "" ? "" : `.${digits}`;
  });

/** 2024-01-31 10:00:00.500, and with a zone 2024-01-31 10:00:00.500 Europe/Berlin, which becomes UTC. Throws if that time occurred twice. */
export function encodeTimestamp(text: string): string {
  const [, year, month, day, hour, minute, second, fraction = "", zone] = timestampPattern.exec(text) ?? [];
  if (year === undefined) return text;
  const days = daysSince1970(Number(year), Number(month), Number(day));
  const local = days * secondsPerDay + Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  const [offset, otherOffset] = zone === undefined ? [0] : offsetsOfLocalTime(zone, local);
  if (offset === undefined) return text;
  if (otherOffset !== undefined) throw repeatedTime(text);
  const moment = { seconds: local - offset, fraction: Number(fraction), digits: fraction.length };
  return `${isoTimestamp(moment)}${zone === undefined ? "" : "Z"}`;
}

/**
 * Trino sends the local time and the zone's name, without the offset, so either of the two times is possible.
 */
const repeatedTime = (text: string) =>
  new EngineError(
    "query_failed",
    `The result has the time ${text}, which the clocks of that zone showed twice, and Trino does not say which one it is. Select the time AT TIME ZONE 'UTC', or cast it to TIMESTAMP to see what the clocks showed.`,
  );

/** 1-2 is a year and two months, -0-1 a month back. */
export function encodeMonthInterval(text: string): string {
  const [, sign, years, months] = /^(-?)(\d+)-(\d+)$/.exec(text) ?? [];
  if (years === undefined) return text;
  const total = Number(years) * 12 + Number(months);
  return isoDuration({ months: sign ? -total : total, days: 0, micros: 0n });
}

/** -1 02:03:04.500 */
export function encodeDayInterval(text: string): string {
  const [, sign, days, hours, minutes, seconds, millis] =
    /^(-?)(\d+) (\d+):(\d+):(\d+)\.(\d{3})$/.exec(text) ?? [];
  if (days === undefined) return text;
  const total = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(millis);
  const direction = sign ? -1 : 1;
  return isoDuration({
    months: 0,
    days: direction * Number(days),
    micros: BigInt(direction * total) * 1000n,
  });
}

const withoutZeros = (fraction: string): string => fraction.replace(/(?<!0)0+$/, "");

/** For any year, in the proleptic Gregorian calendar. */
function daysSince1970(year: number, month: number, day: number): number {
  // Years start in March here, so that the leap day is the last day.
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
}

// More than a result usually has. Limits the memory that a hostile server can occupy.
const maxCachedDays = 10_000;

/**
 * The offsets in seconds of a zone (`UTC`, `+02:00`, `Europe/Berlin`) at which its clocks show a local time, given as if
 * it were UTC. When clocks are set back, a local time occurs twice: it has two. None for an unknown zone, and for a
 * time that is skipped when clocks are set forward.
 */
function offsetsOfLocalTime(zone: string, local: number): number[] {
  if (zone === "UTC" || zone === "Z") return [0];
  const fixed = parseOffset(zone);
  if (fixed !== undefined) return [fixed];
  const { before, after } = offsetsAround(zone, Math.floor(local / secondsPerDay));
  if (before === undefined || after === undefined) return [];
  if (before === after) return [before];
  return [before, after].filter((offset) => offsetAt(zone, local - offset) === offset);
}

interface DayOffsets {
  before: number | undefined;
  after: number | undefined;
}

const cachedDays = new Map<string, DayOffsets>();

/** Cached by day, because looking up a zone is slow and a result has many times of one day. */
function offsetsAround(zone: string, day: number): DayOffsets {
  const key = `${zone} ${day}`;
  let offsets = cachedDays.get(key);
  if (!offsets) {
    offsets = {
      before: offsetAt(zone, (day - 1) * secondsPerDay),
      after: offsetAt(zone, (day + 2) * secondsPerDay),
    };
    if (cachedDays.size >= maxCachedDays) cachedDays.clear();
    cachedDays.set(key, offsets);
  }
  return offsets;
}

function offsetAt(zone: string, utcSeconds: number): number | undefined {
  const format = formatOf(zone);
  // Date cannot represent more; zones do not change beyond that.
  const millis = Math.max(-8.64e15, Math.min(8.64e15, utcSeconds * 1000));
  const name = format?.formatToParts(millis).find(({ type }) => type === "timeZoneName")?.value;
  return name === undefined ? undefined : (parseOffset(name.replace("GMT", "")) ?? 0);
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(zone)) formats.set(zone, createFormat(zone));
  return formats.get(zone);
}

function createFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
}

/** +02:00, or with the seconds of old local times -00:53:28. */
function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes, seconds = "0"] = /^([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -total : total;
}
