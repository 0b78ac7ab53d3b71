import { offsetPeriodsOfDay } from "@querybell/domain/time-zone";
import { dayMs, isCommonHoliday } from "./holidays.ts";

export { dayMs };

/** One value of a series. Null: the run gave no value. */
export interface SeriesPoint {
  /** Milliseconds since 1970. */
  at: number;
  value: number | null;
}

/** A time on the wall clock of a zone. */
export interface LocalTime {
  /** Days since 1970. */
  day: number;
  hour: number;
  /** 0 is Sunday. */
  weekday: number;
  dayOfMonth: number;
  /** 0 on the last day of a month. */
  daysToMonthEnd: number;
  /** 101 is the first of January. */
  monthAndDay: number;
  /** Whether fewer visits or orders than usual are ordinary on this day. */
  isHoliday: boolean;
}

const hourMs = 3_600_000;

/** Wall clocks of a zone. Offsets are looked up once for each day, because a lookup takes microseconds. */
export function localClock(timeZone: string): (at: number) => LocalTime {
  const offsets = new Map<number, ReturnType<typeof offsetPeriodsOfDay>>();
  const days = new Map<number, LocalTime[]>();
  return (at) => {
    const utcDay = Math.floor(at / dayMs) * dayMs;
    let periods = offsets.get(utcDay);
    if (!periods) {
      periods = offsetPeriodsOfDay(timeZone, utcDay);
      offsets.set(utcDay, periods);
    }
    const local = at + (periods.find(({ to }) => at < to)?.offset ?? 0);
    const day = Math.floor(local / dayMs);
    let hours = days.get(day);
    if (!hours) {
      const known = describeDay(day);
      hours = Array.from({ length: 24 }, (_, hour) => ({ ...known, hour }));
      days.set(day, hours);
    }
    return hours[Math.floor((local - day * dayMs) / hourMs)] as LocalTime;
  };
}

function describeDay(day: number): Omit<LocalTime, "hour"> {
  const date = new Date(day * dayMs);
  const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return {
    day,
    weekday: date.getUTCDay(),
    dayOfMonth,
    daysToMonthEnd: lastDay - dayOfMonth,
    monthAndDay: (month + 1) * 100 + dayOfMonth,
    isHoliday: isCommonHoliday(date),
  };
}
