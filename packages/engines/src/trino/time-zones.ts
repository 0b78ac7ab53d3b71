const secondsPerDay = 86_400;
// Far more than a result has, and a bound for what a hostile server can make us keep.
const maxKnownDays = 10_000;

/**
 * The offset in seconds of a zone (`UTC`, `+02:00`, `Europe/Berlin`) at a local time, given as if it were UTC.
 * Where clocks were set back, a local time comes twice; Trino does not say which is meant, and the first counts.
 * Undefined for a zone that is not known here.
 */
export function offsetOfLocalTime(zone: string, local: number): number | undefined {
  if (zone === "UTC" || zone === "Z") return 0;
  const fixed = parseOffset(zone);
  if (fixed !== undefined) return fixed;
  const { before, after } = offsetsAround(zone, Math.floor(local / secondsPerDay));
  if (before === undefined || after === undefined || before === after) return before;
  return offsetAt(zone, local - before) === before ? before : after;
}

interface DayOffsets {
  before: number | undefined;
  after: number | undefined;
}

const knownDays = new Map<string, DayOffsets>();

/** Looking a zone up is slow, and a result has many times of one day. */
function offsetsAround(zone: string, day: number): DayOffsets {
  const key = `${zone} ${day}`;
  let offsets = knownDays.get(key);
  if (!offsets) {
    offsets = {
      before: offsetAt(zone, (day - 1) * secondsPerDay),
      after: offsetAt(zone, (day + 2) * secondsPerDay),
    };
    if (knownDays.size >= maxKnownDays) knownDays.clear();
    knownDays.set(key, offsets);
  }
  return offsets;
}

function offsetAt(zone: string, utcSeconds: number): number | undefined {
  const format = formatOf(zone);
  // Beyond what Date can hold, zones do not change any more.
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
