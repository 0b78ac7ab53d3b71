import type { LocalTime } from "./local-times.ts";
import { clip, clipAt, median, medianDeviation, toFloats } from "./statistics.ts";

/** How much a value is usually above or below its level, by hour, day of the week and day of the month. */
export interface Season {
  at(time: LocalTime): number;
  /** How many numbers were estimated from the values, which makes new values differ more than these. */
  parameters: number;
}

export const noSeason: Season = { at: () => 0, parameters: 0 };

interface Series {
  values: ArrayLike<number>;
  times: readonly LocalTime[];
  hasHours: boolean;
  /** Values vary at least this much around their level. */
  leastDeviation: number;
}

/** With fewer days, a day of the week would be known from a single value. */
const minDaysForWeekdays = 14;
const minDaysForMonths = 50;
const rounds = 2;

/** Estimates the season from the values alone: levels and seasons in turn, robustly, each with the other removed. */
export function fitSeason(series: Series): Season {
  const { values, times } = series;
  const firstDay = times[0]?.day ?? 0;
  const dayCount = (times.at(-1)?.day ?? 0) - firstDay + 1;
  const days = Uint32Array.from(toFloats(times, ({ day }) => day - firstDay));
  const groupings = toGroupings(series, dayCount);
  let week: Week = { hourOfWeek: new Float64Array(168), parameters: 0 };
  let month: Month = { at: () => 0, parameters: 0 };
  const rest = new Float64Array(values.length);
  const removeSeason = () => {
    for (let i = 0; i < rest.length; i++) {
      const time = times[i] as LocalTime;
      rest[i] = (values[i] ?? 0) - (week.hourOfWeek[time.weekday * 24 + time.hour] ?? 0) - month.at(time);
    }
  };
  for (let round = 0; round < rounds; round++) {
    removeSeason();
    const levels = runningMedian(medianByDay(rest, days, dayCount), 3);
    for (let i = 0; i < rest.length; i++) {
      rest[i] = (values[i] ?? 0) - (levels[days[i] ?? 0] ?? 0) - month.at(times[i] as LocalTime);
    }
    week = fitWeek(rest, groupings, series.leastDeviation);
    if (dayCount < minDaysForMonths) continue;
    month = { at: () => 0, parameters: 0 };
    removeSeason();
    month = fitMonth(medianByDay(rest, days, dayCount), series, days);
  }
  return {
    at: (time) => (week.hourOfWeek[time.weekday * 24 + time.hour] ?? 0) + month.at(time),
    parameters: week.parameters + month.parameters,
  };
}

/** By day; NaN for a day without values. */
function medianByDay(values: Float64Array, days: Uint32Array, dayCount: number): Float64Array {
  const medians = new Float64Array(dayCount).fill(Number.NaN);
  for (let start = 0; start < days.length; ) {
    let end = start + 1;
    while (end < days.length && days[end] === days[start]) end++;
    medians[days[start] ?? 0] =
      end === start + 1 ? (values[start] ?? 0) : median(values.subarray(start, end));
    start = end;
  }
  return medians;
}

/** The median of each value with up to `reach` values before and after it. */
function runningMedian(values: Float64Array, reach: number): Float64Array {
  const near = new Float64Array(2 * reach + 1);
  const medians = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    let count = 0;
    for (let j = Math.max(0, i - reach); j <= i + reach && j < values.length; j++) {
      const value = values[j] ?? 0;
      if (!Number.isNaN(value)) near[count++] = value;
    }
    medians[i] = median(near.subarray(0, count));
  }
  return medians;
}

/** The positions of values, group after group. */
interface Grouping {
  groupOf: Uint8Array;
  order: Uint32Array;
  /** Where each group starts in `order`, and where the last ends. */
  starts: Uint32Array;
}

function toGrouping(groupOf: Uint8Array, count: number): Grouping {
  const starts = new Uint32Array(count + 1);
  for (const group of groupOf) starts[group + 1] = (starts[group + 1] ?? 0) + 1;
  for (let group = 0; group < count; group++)
    starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  const next = starts.slice();
  const order = new Uint32Array(groupOf.length);
  for (let i = 0; i < groupOf.length; i++) {
    const group = groupOf[i] ?? 0;
    const place = next[group] ?? 0;
    order[place] = i;
    next[group] = place + 1;
  }
  return { groupOf, order, starts };
}

/** By hour, by day of the week, and by the hour of each day of the week where it differs from both. */
interface Groupings {
  hours: Grouping | null;
  weekdays: Grouping | null;
  hoursOfWeek: Grouping | null;
}

function toGroupings({ times, hasHours }: Series, dayCount: number): Groupings {
  const hasWeeks = dayCount >= minDaysForWeekdays;
  const by = (groupOf: (time: LocalTime) => number, count: number) =>
    toGrouping(Uint8Array.from(toFloats(times, groupOf)), count);
  return {
    hours: hasHours ? by(({ hour }) => hour, 24) : null,
    weekdays: hasWeeks ? by(({ weekday }) => weekday, 7) : null,
    hoursOfWeek: hasHours && hasWeeks ? by(({ hour, weekday }) => weekday * 24 + hour, 168) : null,
  };
}

interface Week {
  hourOfWeek: Float64Array;
  parameters: number;
}

/** Changes `rest`, from which it removes what it finds. */
function fitWeek(
  rest: Float64Array,
  { hours, weekdays, hoursOfWeek }: Groupings,
  leastDeviation: number,
): Week {
  const week: Week = { hourOfWeek: new Float64Array(168), parameters: 0 };
  const fit = (grouping: Grouping | null, groupOfHour: (hourOfWeek: number) => number) => {
    if (!grouping) return;
    const { effects, parameters } = groupEffects(rest, grouping, leastDeviation);
    week.parameters += parameters;
    for (let hour = 0; hour < 168; hour++) {
      week.hourOfWeek[hour] = (week.hourOfWeek[hour] ?? 0) + (effects[groupOfHour(hour)] ?? 0);
    }
    for (let i = 0; i < rest.length; i++) {
      rest[i] = (rest[i] ?? 0) - (effects[grouping.groupOf[i] ?? 0] ?? 0);
    }
  };
  fit(hours, (hourOfWeek) => hourOfWeek % 24);
  fit(weekdays, (hourOfWeek) => Math.floor(hourOfWeek / 24));
  fit(hoursOfWeek, (hourOfWeek) => hourOfWeek);
  return week;
}

/** Robust means of groups, drawn towards zero as far as chance alone could explain them. */
function groupEffects(
  values: Float64Array,
  { order, starts }: Grouping,
  leastDeviation: number,
): { effects: Float64Array; parameters: number } {
  const groups = starts.length - 1;
  const effects = new Float64Array(groups);
  const around = toFloats(order, (i) => values[i] ?? 0);
  for (let group = 0; group < groups; group++) {
    const members = around.subarray(starts[group], starts[group + 1]);
    if (members.length === 0) continue;
    const middle = median(members);
    effects[group] = middle;
    for (let i = 0; i < members.length; i++) members[i] = (members[i] ?? 0) - middle;
  }
  const deviation = Math.max(medianDeviation(around), leastDeviation);
  let [spread, chance, filled] = [0, 0, 0];
  for (let group = 0; group < groups; group++) {
    const members = around.subarray(starts[group], starts[group + 1]);
    if (members.length === 0) continue;
    let sum = 0;
    for (let i = 0; i < members.length; i++) sum += clip(members[i] ?? 0, clipAt * deviation);
    const mean = (effects[group] ?? 0) + sum / members.length;
    effects[group] = mean;
    spread += mean * mean;
    chance += (deviation * deviation) / members.length;
    filled++;
  }
  const real = filled === 0 ? 0 : Math.max(0, spread - chance) / filled;
  let parameters = 0;
  for (let group = 0; group < groups; group++) {
    const count = (starts[group + 1] ?? 0) - (starts[group] ?? 0);
    const share = count === 0 || real === 0 ? 0 : real / (real + (deviation * deviation) / count);
    effects[group] = (effects[group] ?? 0) * share;
    parameters += share;
  }
  return { effects, parameters };
}

interface Month {
  at(time: LocalTime): number;
  parameters: number;
}

/** Days at the end of the series whose level is not yet known from both sides. */
const unsettledDays = 8;

/** A curve over the month, and single days that differ from it every month: the first, the last, the fifteenth. */
function fitMonth(levels: Float64Array, { times, leastDeviation }: Series, days: Uint32Array): Month {
  const around = runningMedian(levels, 15);
  const points: { time: LocalTime; value: number }[] = [];
  for (let i = 0; i < times.length; i++) {
    const day = days[i] ?? 0;
    const time = times[i] as LocalTime;
    if (day === days[i - 1] || day >= levels.length - unsettledDays || time.isHoliday) continue;
    points.push({ time, value: (levels[day] ?? 0) - (around[day] ?? 0) });
  }
  const deviation = Math.max(medianDeviation(points.map(({ value }) => value)), leastDeviation);
  // Each day of the month with the two before and after it.
  const near = points.flatMap(({ time, value }) =>
    [-2, -1, 0, 1, 2].map((distance) => ({ group: (time.dayOfMonth + distance + 30) % 31, value })),
  );
  const grouping = toGrouping(Uint8Array.from(toFloats(near, ({ group }) => group)), 31);
  const curve = groupEffects(
    toFloats(near, ({ value }) => value),
    grouping,
    leastDeviation,
  );
  const curveAt = ({ dayOfMonth }: LocalTime) => curve.effects[dayOfMonth - 1] ?? 0;
  const fromEnd = [0, 1, 2].map((): number[] => []);
  const fromStart = Array.from({ length: 32 }, (): number[] => []);
  for (const { time, value } of points) fromEnd[time.daysToMonthEnd]?.push(value - curveAt(time));
  const lastDays = fromEnd.map((values) => usualEffect(values, deviation));
  for (const { time, value } of points) {
    if (!lastDays[time.daysToMonthEnd]) fromStart[time.dayOfMonth]?.push(value - curveAt(time));
  }
  const singleDays = fromStart.map((values) => usualEffect(values, deviation));
  return {
    at: (time) => curveAt(time) + (lastDays[time.daysToMonthEnd] || singleDays[time.dayOfMonth] || 0),
    // Neighbouring days share their values.
    parameters: curve.parameters / 5 + [...lastDays, ...singleDays].filter((effect) => effect !== 0).length,
  };
}

/** The median of the values if all but chance says that it is not zero; otherwise zero. */
function usualEffect(values: readonly number[], deviation: number): number {
  if (values.length < 2) return 0;
  if (values.length === 2) {
    const [first = 0, second = 0] = values;
    const smaller = Math.abs(first) < Math.abs(second) ? first : second;
    return first * second > 0 && Math.abs(smaller) > 2 * deviation ? smaller : 0;
  }
  const middle = median(values);
  return Math.abs(middle) > (3 * 1.25 * deviation) / Math.sqrt(values.length) ? middle : 0;
}
