import { dateFormat, onFirstUse } from "./intl-formats.ts";

const relative = onFirstUse(() => new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }));

const units = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** "5 minutes ago", "tomorrow": in the largest unit that fits. */
export function relativeTime(at: string, now = Date.now()): string {
  const seconds = (Date.parse(at) - now) / 1000;
  // It follows other words: "Result of just now". The reader's clock may be a little behind the server's.
  if (seconds > -1 && seconds < 5) return "just now";
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return relative().format(Math.round(seconds / size), unit);
}

/** How long something took, in at most two units. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 1) return "under a second";
  if (seconds < 60) return `${seconds} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (hours < 1) return withRest(`${minutes} min`, seconds % 60, "s");
  return withRest(`${hours} h`, minutes % 60, "min");
}

const withRest = (words: string, rest: number, unit: string): string =>
  rest === 0 ? words : `${words} ${rest} ${unit}`;

interface Timed {
  startedAt: string | null;
  completedAt: string | null;
}

/** How long a run took; undefined if it has not started or not ended. */
export const durationOf = ({ startedAt, completedAt }: Timed): string | undefined =>
  startedAt && completedAt ? durationText(Date.parse(completedAt) - Date.parse(startedAt)) : undefined;

/**
 * The reader's time zone at that time: "UTC", "UTC+2", "UTC−3:30". Computed from the offset, because the browser takes long
 * to load the names of zones.
 */
export function zoneOf(date: Date, offsetMinutes = -date.getTimezoneOffset()): string {
  if (offsetMinutes === 0) return "UTC";
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
  const rest = minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`;
  return `UTC${offsetMinutes < 0 ? "−" : "+"}${hours}${rest}`;
}

const formats = {
  full: dateFormat({ dateStyle: "medium", timeStyle: "short" }),
  date: dateFormat({ dateStyle: "long" }),
  seconds: dateFormat({ dateStyle: "medium", timeStyle: "medium" }),
};

/** "date": without the time of day. "seconds": to tell apart what was made in one minute. */
export type TimeFormat = keyof typeof formats;

/** A time as the reader writes it. A time of day names its zone. */
export const timeText = (date: Date, format: TimeFormat): string =>
  format === "date" ? formats.date().format(date) : `${formats[format]().format(date)} ${zoneOf(date)}`;

/** The zone in which a field for a time is read: "your time, UTC+2". */
export const readerZone = (): string => `your time, ${zoneOf(new Date())}`;

/** Converts a time to the value of a `datetime-local` input, in the reader's time zone. */
export function toLocalInput(at: string | Date): string {
  const date = new Date(at);
  const pad = (value: number) => String(value).padStart(2, "0");
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** Converts the value of a `datetime-local` input to a time; undefined while it is empty or incomplete. */
export function fromLocalInput(text: string): string | undefined {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
