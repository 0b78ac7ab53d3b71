import type { LocalTime } from "./local-times.ts";
import { median, medianDeviation, robustMean } from "./statistics.ts";

/** How much a value is usually above or below its level, by hour, day of the week and day of the month. */
export interface Season {
  at(time: LocalTime): number;
  /** How many numbers were estimated from the values, which makes new values differ more than these. */
  parameters: number;
}

export const noSeason: Season = { at: () => 0, parameters: 0 };

interface Series {
  values: readonly number[];
  times: readonly LocalTime[];
  hasHours: boolean;
  /** Values vary at least this much around their level. */
  leastDeviation: number;
}

/** With fewer days, a day of the week would be known from a single value. */
const minDaysForWeekdays = 14;
const minDaysForMonths = 50;

/** Estimates the season from the values alone: levels and seasons in turn, robustly, each with the other removed. */
export function fitSeason(series: Series): Season {
  const { values, times } = series;
  const first = times[0]?.day ?? 0;
  const dayCount = (times.at(-1)?.day ?? 0) - first + 1;
  const days = times.map(({ day }) => day - first);
  let weekly = noSeason;
  let monthly = noSeason;
  const rest = new Float64Array(values.length);
  const remove = (...seasons: Season[]) => {
    for (const [i, time] of times.entries()) {
      rest[i] = seasons.reduce((left, season) => left - season.at(time), values[i] ?? 0);
    }
    return rest;
  };
  for (let round = 0; round < 3; round++) {
    const levels = runningMedian(medianByDay(remove(weekly, monthly), days, dayCount), 3);
    const aroundLevel = remove(monthly).map((value, i) => value - (levels[days[i] ?? 0] ?? 0));
    weekly = fitWeek(aroundLevel, series, dayCount);
    if (dayCount >= minDaysForMonths) {
      monthly = fitMonth(medianByDay(remove(weekly), days, dayCount), series, days);
    }
  }
  return {
    at: (time) => weekly.at(time) + monthly.at(time),
    parameters: weekly.parameters + monthly.parameters,
  };
}

/** By day; NaN for a day without values. */
function medianByDay(values: Float64Array, days: readonly number[], dayCount: number): Float64Array {
  const medians = new Float64Array(dayCount).fill(Number.NaN);
  for (let start = 0; start < days.length; ) {
    let end = start + 1;
    while (end < days.length && days[end] === days[start]) end++;
    medians[days[start] ?? 0] = median(values.subarray(start, end));
    start = end;
  }
  return medians;
}

/** The median of each value with up to `reach` values before and after it. */
function runningMedian(values: Float64Array, reach: number): Float64Array {
  return values.map((_, i) =>
    median(values.subarray(Math.max(0, i - reach), i + reach + 1).filter((value) => !Number.isNaN(value))),
  );
}

/** Means of groups, drawn towards zero as far as chance alone could explain them. */
function groupEffects(
  groups: readonly (readonly number[])[],
  deviation: number,
): { effects: number[]; parameters: number } {
  const means = groups.map((group) => (group.length === 0 ? 0 : robustMean(group, deviation)));
  const filled = groups.filter((group) => group.length > 0).length;
  if (filled === 0) return { effects: means, parameters: 0 };
  const spread = means.reduce((sum, mean) => sum + mean ** 2, 0) / filled;
  const chance =
    groups.reduce((sum, { length }) => sum + (length === 0 ? 0 : deviation ** 2 / length), 0) / filled;
  const real = Math.max(0, spread - chance);
  let parameters = 0;
  const effects = means.map((mean, i) => {
    const length = groups[i]?.length ?? 0;
    const share = length === 0 || real === 0 ? 0 : real / (real + deviation ** 2 / length);
    parameters += share;
    return mean * share;
  });
  return { effects, parameters };
}

function collect(values: Float64Array, groupOf: (i: number) => number, count: number): number[][] {
  const groups = Array.from({ length: count }, (): number[] => []);
  for (let i = 0; i < values.length; i++) groups[groupOf(i)]?.push(values[i] ?? 0);
  return groups;
}

/** By hour, by day of the week, and by the hour of each day of the week where it differs from both. */
function fitWeek(values: Float64Array, { times, hasHours, leastDeviation }: Series, dayCount: number): Season {
  const at = (i: number) => times[i] ?? { hour: 0, weekday: 0 };
  const rest = Float64Array.from(values);
  const fit = (groupOf: (time: { hour: number; weekday: number }) => number, count: number) => {
    const rough = collect(rest, (i) => groupOf(at(i)), count);
    const around = rough.flatMap((group) => {
      const middle = median(group);
      return group.map((value) => value - middle);
    });
    const deviation = Math.max(medianDeviation(around), leastDeviation);
    const fitted = groupEffects(rough, deviation);
    for (let i = 0; i < rest.length; i++) {
      rest[i] = (rest[i] ?? 0) - (fitted.effects[groupOf(at(i))] ?? 0);
    }
    return fitted;
  };
  const none = { effects: [], parameters: 0 };
  const hours = hasHours ? fit(({ hour }) => hour, 24) : none;
  const weekdays = dayCount >= minDaysForWeekdays ? fit(({ weekday }) => weekday, 7) : none;
  const both =
    hasHours && dayCount >= minDaysForWeekdays ? fit(({ hour, weekday }) => weekday * 24 + hour, 168) : none;
  return {
    at: ({ hour, weekday }) =>
      (hours.effects[hour] ?? 0) +
      (weekdays.effects[weekday] ?? 0) +
      (both.effects[weekday * 24 + hour] ?? 0),
    parameters: hours.parameters + weekdays.parameters + both.parameters,
  };
}

/** Days at the end of the series whose level is not yet known from both sides. */
const unsettledDays = 8;

/** A curve over the month, and single days that differ from it every month: the first, the last, the fifteenth. */
function fitMonth(levels: Float64Array, { times, leastDeviation }: Series, days: readonly number[]): Season {
  const around = runningMedian(levels, 15);
  const seen = new Map<number, LocalTime>();
  for (const [i, time] of times.entries()) seen.set(days[i] ?? 0, time);
  const settled = [...seen].filter(([day]) => day < levels.length - unsettledDays);
  const points = settled.map(([day, time]) => ({ time, value: (levels[day] ?? 0) - (around[day] ?? 0) }));
  const deviation = Math.max(medianDeviation(points.map(({ value }) => value)), leastDeviation);
  const near = Array.from({ length: 32 }, (_, dayOfMonth) =>
    points.filter(({ time }) => distanceInMonth(time.dayOfMonth, dayOfMonth) <= 2).map(({ value }) => value),
  );
  const curve = groupEffects(near, deviation);
  const rest = points.map(({ time, value }) => ({
    time,
    value: value - (curve.effects[time.dayOfMonth] ?? 0),
  }));
  const fromEnd = [0, 1, 2].map((distance) =>
    usualEffect(rest.filter(({ time }) => time.daysToMonthEnd === distance).map(({ value }) => value), deviation),
  );
  const fromStart = Array.from({ length: 32 }, (_, dayOfMonth) =>
    usualEffect(
      rest
        .filter(({ time }) => time.dayOfMonth === dayOfMonth && !fromEnd[time.daysToMonthEnd])
        .map(({ value }) => value),
      deviation,
    ),
  );
  return {
    at: ({ dayOfMonth, daysToMonthEnd }) =>
      (curve.effects[dayOfMonth] ?? 0) + (fromEnd[daysToMonthEnd] || fromStart[dayOfMonth] || 0),
    // Neighbouring days share their values.
    parameters: curve.parameters / 5 + [...fromEnd, ...fromStart].filter((effect) => effect !== 0).length,
  };
}

function distanceInMonth(one: number, other: number): number {
  const distance = Math.abs(one - other);
  return Math.min(distance, 31 - distance);
}

/** The median of the values if all but chance says that it is not zero; otherwise zero. */
function usualEffect(values: readonly number[], deviation: number): number {
  if (values.length < 2) return 0;
  const sizes = values.map(Math.abs);
  const middle =
    values.length === 2
      ? Math.sign(values[0] ?? 0) === Math.sign(values[1] ?? 0)
        ? Math.sign(values[0] ?? 0) * Math.min(...sizes)
        : 0
      : median(values);
  const needed = values.length === 2 ? 2 * deviation : (3 * deviation * 1.25) / Math.sqrt(values.length);
  return Math.abs(middle) > needed ? middle : 0;
}
