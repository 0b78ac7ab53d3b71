import { surpriseOfCount } from "./counts.ts";
import { Level } from "./level.ts";
import type { LocalTime } from "./local-times.ts";
import { carryOverOf, dispersionOf } from "./prediction-errors.ts";
import { type Scale, scalesFor } from "./scales.ts";
import { fitSeason, noSeason, type Season } from "./season.ts";
import { clip, clipAt, medianDeviation, robustDeviation, toFloats } from "./statistics.ts";
import { estimateTail } from "./threshold.ts";

interface History {
  values: readonly number[];
  times: readonly LocalTime[];
  hasHours: boolean;
  /** Values that only continue something unusual: they say nothing about what is usual. */
  isExcluded: readonly boolean[];
}

/** How a value compares with what was expected. */
interface Surprise {
  /** In standard deviations of usual differences. */
  z: number;
  /** The same for the last two values together, and for the last three: how far they are from the level before them. */
  together: [number, number];
  expected: number;
  /** The value that is this many standard deviations from the expected one. */
  valueAt(z: number): number;
}

/** A value without its season, and the level that was predicted for it. */
interface Latest {
  rest: number;
  seasonal: number;
  level: number;
  deviation: number;
}

/** Smaller means have no root that could be compared. */
const leastMeanOfRoots = 0.05;
const leastBusyMean = 4;
/** Fewer say too little about how much they vary. */
const leastBusyCount = 50;
/** A single wild value makes no step together with its neighbours. */
const mostOfOne = 4;

/** What is ordinary for a series, estimated from its past. It is extended with each value until it is fitted again. */
export class Model {
  readonly #scale: Scale;
  readonly #season: Season;
  readonly #level: Level;
  /** Of the whole series, and for each hour where hours differ. */
  #deviation = 0;
  #deviationByHour: number[] = [];
  /** For counts: the variance as a multiple of the mean, and the least mean at any time. */
  #dispersion = 1;
  #leastMean = 0;
  /** The share of a difference that is still there at the next value. */
  #carryOver = 0;
  #lastError = 0;
  /** How much heavier the tails are than those of the normal distribution. */
  tail = 0;
  /** How far two and three values together usually are from the level before them: 1 if they are independent. */
  #togetherDeviations: [number, number] = [1, 1];
  /** The latest values, the newest last. */
  #latest: Latest[] = [];
  /** The mean log likelihood of the values. */
  fit = 0;

  constructor(history: History, scale: Scale) {
    this.#scale = scale;
    const scaled = toFloats(history.values, scale.to);
    const mean = scaled.reduce((sum, value) => sum + value, 0) / scaled.length;
    const leastDeviation = this.#isCount
      ? 0.8 * Math.sqrt(Math.max(mean, 0.05))
      : Math.max(Math.abs(mean) * 1e-9, 1e-12);
    this.#leastMean = Math.max(0.05, mean / 10);
    this.#season = scaled.length < 7 ? noSeason : fitSeason({ ...history, values: scaled, leastDeviation });
    this.#level = new Level(history.hasHours ? "hours" : "days");
    this.#replay(history, scaled, leastDeviation);
  }

  get scaleName(): Scale["name"] {
    return this.#scale.name;
  }

  get #isCount(): boolean {
    return this.#scale.name === "count";
  }

  /** `follows`: whether it comes soon after the value that was added last. */
  judge(value: number, time: LocalTime, follows: boolean): Surprise {
    if (!follows) this.#latest = [];
    const together = this.#judgeTogether(this.#toLatest(this.#scale.to(value), time));
    const expected = this.#expect(time) + (follows ? this.#carryOver * this.#lastError : 0);
    const deviation = this.#deviationByHour[time.hour] ?? this.#deviation;
    if (this.#isCount) {
      const mean = Math.max(expected, this.#leastMean);
      const variance = mean * this.#dispersion;
      const z = surpriseOfCount(Math.max(0, value), mean, variance);
      return { z, together, expected: mean, valueAt: (at) => Math.max(0, mean + at * Math.sqrt(variance)) };
    }
    return {
      z: this.#compare(value, expected, deviation),
      together,
      expected: this.#scale.from(expected),
      valueAt: (at) => this.#scale.from(expected + at * deviation),
    };
  }

  add(value: number, time: LocalTime): void {
    const scaled = this.#scale.to(value);
    const seasonal = this.#season.at(time);
    const error = scaled - seasonal - this.#level.predict();
    if (isQuietHoliday(time, error)) return;
    this.#latest = [...this.#latest.slice(-1), this.#toLatest(scaled, time)];
    this.#lastError = clip(error, clipAt * this.#deviation);
    this.#level.add(scaled - seasonal, this.#deviation);
  }

  /** A value with what was expected on the scale, in standard deviations. */
  #compare(value: number, expected: number, deviation: number): number {
    const mean = this.#scale.from(expected);
    return this.#scale.isOfCounts && value >= 0 && mean > leastMeanOfRoots
      ? surpriseOfCount(value, mean, mean * deviation ** 2)
      : (this.#scale.to(value) - expected) / deviation;
  }

  #expect(time: LocalTime): number {
    return this.#season.at(time) + this.#level.predict();
  }

  #toLatest(scaled: number, time: LocalTime): Latest {
    const level = this.#level.predict();
    const seasonal = this.#season.at(time);
    const deviation = this.#deviationAt(level + seasonal, time);
    return { rest: scaled - seasonal, seasonal, level, deviation };
  }

  #deviationAt(expected: number, { hour }: LocalTime): number {
    if (this.#isCount) return Math.sqrt(Math.max(expected, this.#leastMean) * this.#dispersion);
    return this.#deviationByHour[hour] ?? this.#deviation;
  }

  #judgeTogether(newest: Latest): [number, number] {
    const [first, second] = [this.#latest.at(-2), this.#latest.at(-1)];
    const [ofTwo, ofThree] = this.#togetherDeviations;
    return [
      second ? this.#sumOf([second, newest]) / ofTwo : 0,
      first && second ? this.#sumOf([first, second, newest]) / ofThree : 0,
    ];
  }

  /** How far values that follow each other are from the level before the first: standard normal if by chance. */
  #sumOf(latest: readonly Latest[], from = 0, to = latest.length): number {
    const level = latest[from]?.level ?? 0;
    if (this.#isCount) {
      let [count, mean] = [0, 0];
      for (let i = from; i < to; i++) {
        const { rest, seasonal } = latest[i] as Latest;
        count += Math.max(0, Math.round(rest + seasonal));
        mean += Math.max(level + seasonal, this.#leastMean);
      }
      return surpriseOfCount(count, mean, mean * this.#dispersion);
    }
    let sum = 0;
    for (let i = from; i < to; i++) {
      const { rest, deviation } = latest[i] as Latest;
      sum += clip((rest - level) / deviation, mostOfOne);
    }
    return sum / Math.sqrt(to - from);
  }

  /** Predicts each value from those before it, and measures how far off the predictions are. */
  #replay(
    { values, times, hasHours, isExcluded }: History,
    scaled: Float64Array,
    leastDeviation: number,
  ): void {
    const rest = scaled.map((value, i) => value - this.#season.at(times[i] as LocalTime));
    const steps = rest.subarray(1).map((value, i) => value - (rest[i] ?? 0));
    this.#deviation = Math.max(medianDeviation(steps) / Math.SQRT2, leastDeviation);
    const errors = new Float64Array(rest.length);
    const levels = new Float64Array(rest.length);
    for (let i = 0; i < rest.length; i++) {
      const value = rest[i] ?? 0;
      levels[i] = i === 0 ? value : this.#level.predict();
      errors[i] = value - (levels[i] ?? 0);
      if (isQuietHoliday(times[i] as LocalTime, errors[i] ?? 0)) errors[i] = 0;
      else this.#level.add(value, this.#deviation);
    }
    const start = Math.min(hasHours ? 48 : 10, Math.floor(rest.length / 3));
    const rough = Math.max(robustDeviation(errors.subarray(start)), leastDeviation);
    this.#carryOver = this.#isCount ? 0 : carryOverOf(errors.subarray(start), rough);
    this.#lastError = clip(errors.at(-1) ?? 0, clipAt * rough);
    const own = errors.map((error, i) => error - this.#carryOver * clip(errors[i - 1] ?? 0, clipAt * rough));
    // The season was fitted to these values, so new ones will differ more.
    const used = Math.min(0.5, this.#season.parameters / rest.length);
    const inflation = Math.sqrt((1 + used) / (1 - used));
    const places: number[] = [];
    for (let i = start; i < own.length; i++) if (!isExcluded[i] && !times[i]?.isHoliday) places.push(i);
    const settled = toFloats(places, (i) => own[i] ?? 0);
    this.#deviation = Math.max(robustDeviation(settled) * inflation, leastDeviation);
    if (hasHours)
      this.#deviationByHour = this.#deviationsOfHours(
        settled,
        places.map((i) => times[i] as LocalTime),
        inflation,
      );
    if (this.#isCount)
      this.#dispersion = dispersionOf(
        settled,
        toFloats(places, (i) => scaled[i] ?? 0),
      );
    this.fit = this.#fitOf({ values, times }, places, settled);
    const busy = this.#busyOf(scaled, places, settled);
    if (busy) {
      const errorsOfBusy = toFloats(busy, (i) => settled[i] ?? 0);
      this.#deviation = Math.max(robustDeviation(errorsOfBusy) * inflation, leastDeviation);
      const timesOfBusy = busy.map((i) => times[places[i] ?? 0] as LocalTime);
      if (hasHours) this.#deviationByHour = this.#deviationsOfHours(errorsOfBusy, timesOfBusy, inflation);
    }
    const zs = settled.map((error, i) => {
      const at = places[i] ?? 0;
      const expected = (scaled[at] ?? 0) - error;
      if (!this.#isCount) {
        const { hour } = times[at] as LocalTime;
        return this.#compare(values[at] ?? 0, expected, this.#deviationByHour[hour] ?? this.#deviation);
      }
      const mean = Math.max(expected, this.#leastMean);
      return surpriseOfCount(scaled[at] ?? 0, mean, mean * this.#dispersion);
    });
    this.tail = estimateTail(busy ? toFloats(busy, (i) => zs[i] ?? 0) : zs);
    const latest = Array.from({ length: rest.length }, (_, i): Latest => {
      const level = levels[i] ?? 0;
      const time = times[i] as LocalTime;
      const seasonal = this.#season.at(time);
      return { rest: rest[i] ?? 0, seasonal, level, deviation: this.#deviationAt(level + seasonal, time) };
    });
    this.#latest = latest.slice(-2);
    const usual = (count: number) => {
      const ends = places.filter((i) => i >= start + count);
      return robustDeviation(toFloats(ends, (i) => this.#sumOf(latest, i - count + 1, i + 1))) * inflation;
    };
    this.#togetherDeviations = [Math.max(1, usual(2)), Math.max(1, usual(3))];
  }

  #fitOf(
    { values, times }: Pick<History, "values" | "times">,
    places: readonly number[],
    errors: Float64Array,
  ): number {
    let fit = 0;
    for (let i = 0; i < errors.length; i++) {
      const at = places[i] ?? 0;
      const deviation = this.#deviationByHour[times[at]?.hour ?? 0] ?? this.#deviation;
      const z = (errors[i] ?? 0) / deviation;
      fit -= Math.log(deviation) + 2.5 * Math.log1p((z * z) / 4);
      fit += this.#scale.logSlope(values[at] ?? 0);
    }
    return fit / errors.length;
  }

  /**
   * Of counts that are near zero at some times: which errors are of other times. Near zero there are few possible values,
   * closer together on this scale, so they say nothing about how much larger counts vary. Null if all count.
   */
  #busyOf(scaled: Float64Array, places: readonly number[], errors: Float64Array): number[] | null {
    if (!this.#scale.isOfCounts) return null;
    const busy = [...errors.keys()].filter(
      (i) => this.#scale.from((scaled[places[i] ?? 0] ?? 0) - (errors[i] ?? 0)) >= leastBusyMean,
    );
    return busy.length < leastBusyCount || busy.length === errors.length ? null : busy;
  }

  #deviationsOfHours(errors: Float64Array, times: readonly LocalTime[], inflation: number): number[] {
    const groups = Array.from({ length: 24 }, (): number[] => []);
    for (let i = 0; i < errors.length; i++) groups[times[i]?.hour ?? 0]?.push(errors[i] ?? 0);
    // Few values say little, so the deviation of all counts like so many of them.
    const ofAll = 20;
    return groups.map((group) => {
      const own = group.length < 5 ? this.#deviation : robustDeviation(group) * inflation;
      return Math.sqrt((ofAll * this.#deviation ** 2 + group.length * own ** 2) / (ofAll + group.length));
    });
  }
}

/** Fits the scales that are possible and returns the most likely; only the one that is given, if it is still possible. */
export function fitModel(history: History, chosen?: Scale["name"]): Model {
  const possible = scalesFor(history.values);
  const kept = possible.filter(({ name }) => name === chosen);
  const [first, ...others] = (kept.length > 0 ? kept : possible).map((scale) => new Model(history, scale));
  if (!first) throw new Error("There is no scale for these values.");
  return others.reduce((best, model) => (model.fit > best.fit ? model : best), first);
}

const isQuietHoliday = ({ isHoliday }: LocalTime, error: number): boolean => isHoliday && error < 0;
