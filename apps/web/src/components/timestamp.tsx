import { Tooltip } from "@mantine/core";
import { dateFormat } from "./intl-formats.ts";
import { relativeTime } from "./relative-time.ts";

interface TimestampProps {
  /** An ISO timestamp, as the api writes them. */
  at: string;
  /** "relative": 5 minutes ago. "date": without the time of day. */
  format?: "full" | "relative" | "date";
}

const full = dateFormat({ dateStyle: "medium", timeStyle: "short" });
const day = dateFormat({ dateStyle: "long" });
const exact = dateFormat({ dateStyle: "full", timeStyle: "long" });
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
