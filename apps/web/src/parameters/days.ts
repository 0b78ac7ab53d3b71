import { parseRelativeDate } from "@querybell/statements/relative-date";
import { dateFormat } from "../format/intl-formats.ts";

// Days are texts like 2026-10-31, and everything is computed in UTC, as the api resolves relative dates.

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

const toDate = (day: string): Date => new Date(`${day}T00:00:00Z`);
const toDay = (date: Date): string => date.toISOString().slice(0, 10);

/** The day that a date or a relative date means; undefined if the text is neither. */
export function resolveDay(text: string, now = new Date()): string | undefined {
  const trimmed = text.trim();
  const date = dayPattern.test(trimmed) ? toDate(trimmed) : parseRelativeDate(trimmed, now);
  return date && !Number.isNaN(date.getTime()) ? toDay(date) : undefined;
}

/** Whether the text names a day or a time that moves, like today-7d. */
export const isRelative = (text: string): boolean => parseRelativeDate(text, new Date(0)) !== undefined;

export function addDays(day: string, days: number): string {
  const date = toDate(day);
  date.setUTCDate(date.getUTCDate() + days);
  return toDay(date);
}

/** The same day of another month, or the last one of a shorter month. */
export function addMonths(day: string, months: number): string {
  const date = toDate(day);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return toDay(new Date(Date.UTC(year, month, Math.min(date.getUTCDate(), last))));
}

/** 0 for Monday to 6 for Sunday. */
export const weekday = (day: string): number => (toDate(day).getUTCDay() + 6) % 7;

/** The weeks of the month of this day, from Monday on. Days of other months are undefined. */
export function weeksOf(day: string): (string | undefined)[][] {
  const first = `${day.slice(0, 8)}01`;
  const count = Number(addDays(addMonths(first, 1), -1).slice(8));
  const cells: (string | undefined)[] = [
    ...Array.from({ length: weekday(first) }, () => undefined),
    ...Array.from({ length: count }, (_, index) => addDays(first, index)),
  ];
  const weeks: (string | undefined)[][] = [];
  for (let at = 0; at < cells.length; at += 7) {
    weeks.push(Array.from({ length: 7 }, (_, index) => cells[at + index]));
  }
  return weeks;
}

const inUtc = (options: Intl.DateTimeFormatOptions) => dateFormat({ ...options, timeZone: "UTC" });
const longFormat = inUtc({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const monthYearFormat = inUtc({ month: "long", year: "numeric" });
const monthFormat = inUtc({ month: "long" });
const weekdayFormat = inUtc({ weekday: "short" });
const longWeekdayFormat = inUtc({ weekday: "long" });

/** "Saturday, 31 October 2026", as the reader writes it. */
export const describeFully = (day: string): string => longFormat().format(toDate(day));
/** "October 2026" */
export const describeMonth = (day: string): string => monthYearFormat().format(toDate(day));

/** The names of the days of the week, from Monday on. */
export const weekdays = (): { short: string; long: string }[] =>
  Array.from({ length: 7 }, (_, index) => {
    // A Monday.
    const date = toDate(addDays("2026-11-02", index));
    return { short: weekdayFormat().format(date), long: longWeekdayFormat().format(date) };
  });

/** "31 October", with the year if it is not this one. */
export function describeDay(day: string, now = new Date()): string {
  const words = `${Number(day.slice(8))} ${monthFormat().format(toDate(day))}`;
  return day.slice(0, 4) === toDay(now).slice(0, 4) ? words : `${words} ${Number(day.slice(0, 4))}`;
}

/** "1 to 31 October", "30 December 2025 to 2 January": both days are included. */
export function describeDays(first: string, last: string, now = new Date()): string {
  if (first === last) return describeDay(first, now);
  const end = describeDay(last, now);
  if (first.slice(0, 7) === last.slice(0, 7)) return `${Number(first.slice(8))} to ${end}`;
  const isSameYear = first.slice(0, 4) === last.slice(0, 4);
  const start = isSameYear
    ? `${Number(first.slice(8))} ${monthFormat().format(toDate(first))}`
    : describeDay(first, now);
  return `${start} to ${end}`;
}
