import type { Cron } from "./cron.ts";

// A wall-clock time is represented by the milliseconds of the same time in UTC.

const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

// From one 29 February to the next it can be eight years: 2096 to 2104.
const longestWaitMs = 9 * 366 * dayMs;

/** The first matching wall-clock time at or after this one. Null if there is none. */
export function firstMatch(cron: Cron, wallTime: number): number | null {
  const startOfDay = Math.floor(wallTime / dayMs) * dayMs;
  const minute = Math.ceil((wallTime - startOfDay) / minuteMs);
  for (let day = startOfDay; day < startOfDay + longestWaitMs; ) {
    const date = new Date(day);
    if (!cron.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
      continue;
    }
    const found = namesDay(cron, date)
      ? cron.minutesOfDay.find((candidate) => day > startOfDay || candidate >= minute)
      : undefined;
    if (found !== undefined) return day + found * minuteMs;
    day += dayMs;
  }
  return null;
}

function namesDay({ daysOfMonth, daysOfWeek, eitherDay }: Cron, date: Date): boolean {
  const ofMonth = daysOfMonth.has(date.getUTCDate());
  const ofWeek = daysOfWeek.has(date.getUTCDay());
  return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}
