import { useSyncExternalStore } from "react";
import { dateFormat } from "../format/intl-formats.ts";
import { relativeTime, type TimeFormat, timeText } from "../format/times.ts";
import { Hint } from "./hint.tsx";

interface TimestampProps {
  /** An ISO timestamp, as the api writes them. */
  at: string;
  /** "relative": 5 minutes ago. */
  format?: TimeFormat | "relative";
}

const exact = dateFormat({ dateStyle: "full", timeStyle: "long" });

/** A time in the reader's time zone and language. Hovering over it shows the exact time. */
export function Timestamp({ at, format = "full" }: TimestampProps) {
  const date = new Date(at);
  return (
    <Hint label={<ExactTime date={date} />}>
      <time dateTime={at}>{format === "relative" ? <RelativeTime at={at} /> : timeText(date, format)}</time>
    </Hint>
  );
}

/** A separate component, so that only this text is rendered again as time passes. */
function RelativeTime({ at }: { at: string }) {
  usePassingTime();
  return relativeTime(at);
}

/** Formatted once the tooltip opens: the names of zones take the browser long to load. */
const ExactTime = ({ date }: { date: Date }) => exact().format(date);

const stepMs = 30_000;
const listeners = new Set<() => void>();
let steps = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function step(): void {
  steps++;
  for (const listener of listeners) listener();
}

/** The timer runs only while something shows a time and the page is visible. */
function startOrStop(): void {
  clearInterval(timer);
  timer = listeners.size > 0 && !document.hidden ? setInterval(step, stepMs) : undefined;
}

function onVisibilityChange(): void {
  if (!document.hidden) step();
  startOrStop();
}

function listen(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener("visibilitychange", onVisibilityChange);
  listeners.add(listener);
  if (listeners.size === 1) startOrStop();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener("visibilitychange", onVisibilityChange);
    startOrStop();
  };
}

/** Renders the component again as time passes, with one timer for the whole page. */
const usePassingTime = (): number => useSyncExternalStore(listen, () => steps);
