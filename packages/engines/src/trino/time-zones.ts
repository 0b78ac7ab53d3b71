const secondsPerDay = 86_400;
// More than a result usually has. Limits the memory that a hostile server can occupy.
const maxCachedDays = 10_000;

/**
 * The offsets in seconds of a zone (`UTC`, `+02:00`, `Europe/Berlin`) at which its clocks show a local time, given as if
 * it were UTC. When clocks are set back, a local time occurs twice: it has two. None for an unknown zone, and for a
 * time that is skipped when clocks are set forward.
 */
export function offsetsOfLocalTime(zone: string, local: number): number[] {
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
