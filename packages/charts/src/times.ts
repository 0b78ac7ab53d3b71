/** A date or timestamp on the clock of its axis: milliseconds as if the clock showed UTC. */
export type WallTime = number;

const pattern =
  /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/;

/** Returns the offset of a zone from UTC in milliseconds. */
export type ZoneOffset = (time: number) => number;

/**
 * Reads a date, a month such as 2026-09, or a timestamp. One with a zone is shown on the reader's clock, every other as
 * it is written. Undefined for any other value.
 */
export function parseWallTime(value: unknown, offsetAt: ZoneOffset): WallTime | undefined {
  const found = typeof value === "string" ? pattern.exec(value) : null;
  if (!found) return undefined;
  const [, year, month, day = "1", hour = "0", minute = "0", second = "0", fraction = "", zone] = found;
  const ms = Number(fraction.padEnd(3, "0").slice(0, 3));
  const written = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    ms,
  );
  // Date.UTC takes the years 0 to 99 for those of the last century, and the 40th of a month for one of the next.
  if (Number.isNaN(written) || new Date(written).getUTCMonth() !== Number(month) - 1 || Number(year) < 100)
    return undefined;
  if (zone === undefined) return written;
  const utc = written - zoneMs(zone);
  return utc + offsetAt(utc);
}

function zoneMs(zone: string): number {
  if (zone === "Z") return 0;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone.startsWith("-") ? -1 : 1) * minutes * 60_000;
}

/** The offset of the clock of this process, or of a named zone. */
export function zoneOffset(timeZone: string | undefined): ZoneOffset {
  if (timeZone === undefined) return (time) => -new Date(time).getTimezoneOffset() * 60_000;
  if (timeZone === "UTC") return () => 0;
  const parts = new Intl.DateTimeFormat("en-u-ca-iso8601", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const compute = (time: number): number => {
    const found = Object.fromEntries(
      parts.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
  };
  // Asking Intl takes long, and the offset of most days does not change.
  const byDay = new Map<number, number | undefined>();
  return (time) => {
    const day = Math.floor(time / dayMs);
    if (!byDay.has(day)) {
      const first = compute(day * dayMs);
      byDay.set(day, first === compute((day + 1) * dayMs) ? first : undefined);
    }
    return byDay.get(day) ?? compute(time);
  };
}

const dayMs = 86_400_000;

export type Granularity = "year" | "month" | "day" | "minute" | "second";

/** The coarsest unit that tells all of these times apart from their neighbours. */
export function granularityOf(times: readonly WallTime[]): Granularity {
  let found: Granularity = "year";
  for (const time of times) {
    const date = new Date(time);
    if (time % 60_000 !== 0) return "second";
    if (time % dayMs !== 0) found = "minute";
    else if (found === "minute") continue;
    else if (date.getUTCDate() !== 1) found = "day";
    else if (found === "year" && date.getUTCMonth() !== 0) found = "month";
  }
  return found;
}

interface Step {
  unit: "year" | "month" | "day" | "minute" | "second";
  count: number;
  /** About. */
  ms: number;
}

const step = (unit: Step["unit"], ms: number, ...counts: number[]): Step[] =>
  counts.map((count) => ({ unit, count, ms: ms * count }));

const steps: readonly Step[] = [
  ...step("second", 1000, 1, 5, 15, 30),
  ...step("minute", 60_000, 1, 5, 15, 30, 60, 180, 360, 720),
  ...step("day", dayMs, 1, 2, 7, 14),
  ...step("month", dayMs * 30.4, 1, 2, 3, 6),
  ...step("year", dayMs * 365.25, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
];

/** Which unit the labels of some ticks need. */
export interface TimeTicks {
  ticks: WallTime[];
  unit: Granularity;
}

/** Round times between two others, with at least this distance. Never finer than the data. */
export function timeTicks(
  [from, to]: readonly [WallTime, WallTime],
  minMs: number,
  finest: Granularity,
): TimeTicks {
  const units: readonly Granularity[] = ["second", "minute", "day", "month", "year"];
  const allowed = steps.filter(({ unit }) => units.indexOf(unit) >= units.indexOf(finest));
  const chosen = allowed.find(({ ms }) => ms >= minMs * 0.999) ?? allowed.at(-1);
  if (!chosen) return { ticks: [], unit: finest };
  const ticks: WallTime[] = [];
  for (let tick = floorTo(from, chosen); tick <= to && ticks.length < 1000; tick = next(tick, chosen)) {
    if (tick >= from) ticks.push(tick);
  }
  return { ticks, unit: chosen.unit };
}

function floorTo(time: WallTime, { unit, count }: Step): WallTime {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === "year") return Date.UTC(Math.floor(year / count) * count, 0);
  if (unit === "month") return Date.UTC(year, Math.floor(month / count) * count);
  // Weeks begin on Mondays: the fifth of January 1970 was one.
  if (unit === "day") {
    const days = Math.floor(time / dayMs);
    return (count % 7 === 0 ? Math.floor((days - 4) / count) * count + 4 : days - (days % count)) * dayMs;
  }
  const ms = unit === "minute" ? count * 60_000 : count * 1000;
  return Math.floor(time / ms) * ms;
}

function next(time: WallTime, { unit, count }: Step): WallTime {
  const date = new Date(time);
  if (unit === "year") return Date.UTC(date.getUTCFullYear() + count, 0);
  if (unit === "month") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count);
  const ms = { day: dayMs, minute: 60_000, second: 1000 }[unit];
  return time + count * ms;
}
