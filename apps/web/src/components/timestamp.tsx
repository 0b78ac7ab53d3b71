import { Tooltip } from "@mantine/core";
import { dateFormat, onFirstUse } from "./intl-formats.ts";

interface TimestampProps {
  /** An ISO timestamp, as the api writes them. */
  at: string;
  /** "relative": 5 minutes ago. "date": without the time of day. */
  format?: "full" | "relative" | "date";
}

const full = dateFormat({ dateStyle: "medium", timeStyle: "short" });
const day = dateFormat({ dateStyle: "long" });
const exact = dateFormat({ dateStyle: "full", timeStyle: "long" });
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
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return relative().format(Math.round(seconds / size), unit);
}

/** A time in the reader's time zone and language. Hovering or focusing it shows the exact time. */
export function Timestamp({ at, format = "full" }: TimestampProps) {
  const date = new Date(at);
  const text = format === "relative" ? relativeTime(at) : (format === "date" ? day : full)().format(date);
  return (
    <Tooltip label={<ExactTime date={date} />}>
      <time dateTime={at}>{text}</time>
    </Tooltip>
  );
}

/** Formatted once the tooltip opens: the names of zones take the browser long to load. */
const ExactTime = ({ date }: { date: Date }) => exact().format(date);
