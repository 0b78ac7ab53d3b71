import type { DateRange } from "@querybell/domain";
import { addDays, describeDay, describeDays, resolveDay } from "./days.ts";
import type { ValueTexts } from "./parameter-values.ts";

interface Preset {
  label: string;
  start: string;
  /** The last day of the range, and the day after it. */
  last: string;
  next: string;
}

const whole = (label: string, start: string, next: string): Preset => ({
  label,
  start,
  last: `${next}-1d`,
  next,
});

/** Ranges that move with the day on which they are used. */
export const rangePresets: readonly Preset[] = [
  { label: "Today", start: "today", last: "today", next: "tomorrow" },
  { label: "Yesterday", start: "yesterday", last: "yesterday", next: "today" },
  { label: "Last 7 days", start: "today-6d", last: "today", next: "tomorrow" },
  { label: "Last 30 days", start: "today-29d", last: "today", next: "tomorrow" },
  whole("This week", "week_start", "week_start+1w"),
  whole("Previous week", "week_start-1w", "week_start"),
  whole("This month", "month_start", "month_start+1m"),
  whole("Previous month", "month_start-1m", "month_start"),
  whole("This quarter", "quarter_start", "quarter_start+1q"),
  whole("Previous quarter", "quarter_start-1q", "quarter_start"),
  whole("This year", "year_start", "year_start+1y"),
  whole("Previous year", "year_start-1y", "year_start"),
];

export interface RangeTexts {
  start: string;
  end: string;
}

/** The texts of the two parameters of a range for a preset. */
export const textsOfPreset = ({ start, last, next }: Preset, { includesEnd }: DateRange): RangeTexts => ({
  start,
  end: includesEnd ? last : next,
});

/** The texts for two chosen days, both of which are in the range. */
export const textsOfDays = (one: string, other: string, { includesEnd }: DateRange): RangeTexts => {
  const [first, last] = one <= other ? [one, other] : [other, one];
  return { start: first, end: includesEnd ? last : addDays(last, 1) };
};

/** The first and the last day of a range; undefined if a text is missing or no day. */
export function daysOfRange(
  { start, end }: RangeTexts,
  { includesEnd }: DateRange,
  now = new Date(),
): { first: string; last: string } | undefined {
  const [first, to] = [resolveDay(start, now), resolveDay(end, now)];
  if (first === undefined || to === undefined) return undefined;
  return { first, last: includesEnd ? to : addDays(to, -1) };
}

/** "Last 7 days: 11 to 17 November", or the texts if they are no days. */
export function describeRange(texts: RangeTexts, range: DateRange, now = new Date()): string {
  const days = daysOfRange(texts, range, now);
  if (!days) return [texts.start, texts.end].filter((text) => text !== "").join(" to ");
  // Such as from the first of the month until today, on the first.
  if (days.first === addDays(days.last, 1)) return `No days: until ${describeDay(days.first, now)}`;
  const words = describeDays(days.first, days.last, now);
  const preset = rangePresets.find((one) => {
    const { start, end } = textsOfPreset(one, range);
    return start === texts.start && end === texts.end;
  });
  return preset ? `${preset.label}: ${words}` : words;
}

/** What is set for the two parameters, or else their defaults. */
export const rangeTexts = (
  { start, end }: DateRange,
  values: ValueTexts,
  defaultOf: (name: string) => string | undefined,
): RangeTexts => ({
  start: values[start] ?? defaultOf(start) ?? "",
  end: values[end] ?? defaultOf(end) ?? "",
});
