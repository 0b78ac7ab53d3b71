import { Tooltip } from "@mantine/core";
import { dateFormat } from "../format/intl-formats.ts";
import { relativeTime } from "../format/relative-time.ts";
import { usePassingTime } from "./use-passing-time.ts";

interface TimestampProps {
  /** An ISO timestamp, as the api writes them. */
  at: string;
  /** "relative": 5 minutes ago. "date": without the time of day. "seconds": to tell apart what was made in one minute. */
  format?: "full" | "relative" | "date" | "seconds";
}

const formats = {
  full: dateFormat({ dateStyle: "medium", timeStyle: "short" }),
  date: dateFormat({ dateStyle: "long" }),
  seconds: dateFormat({ dateStyle: "medium", timeStyle: "medium" }),
};
const exact = dateFormat({ dateStyle: "full", timeStyle: "long" });

/** A time in the reader's time zone and language. Hovering over it shows the exact time. */
export function Timestamp({ at, format = "full" }: TimestampProps) {
  const date = new Date(at);
  return (
    <Tooltip label={<ExactTime date={date} />}>
      <time dateTime={at}>
        {format === "relative" ? <RelativeTime at={at} /> : formats[format]().format(date)}
      </time>
    </Tooltip>
  );
}

/** On its own, so that only these words are drawn again as time passes. */
function RelativeTime({ at }: { at: string }) {
  usePassingTime();
  return relativeTime(at);
}

/** Formatted once the tooltip opens: the names of zones take the browser long to load. */
const ExactTime = ({ date }: { date: Date }) => exact().format(date);
