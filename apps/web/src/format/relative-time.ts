import { onFirstUse } from "./intl-formats.ts";

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
