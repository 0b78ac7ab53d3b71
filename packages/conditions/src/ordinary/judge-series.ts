import type { FalseAlarms } from "@querybell/domain/conditions";
import { dayMs, type LocalTime, localClock, type SeriesPoint } from "./local-times.ts";
import { fitModel, type Model } from "./model.ts";
import { median } from "./statistics.ts";
import { thresholdFor } from "./threshold.ts";

export interface OrdinarySettings {
  timeZone: string;
  falseAlarms: FalseAlarms;
  direction: "both" | "above" | "below";
}

export interface Judgement {
  at: number;
  value: number | null;
  /** "learning" until there is enough of a past. */
  state: "learning" | "ordinary" | "unusual" | "no_data";
  /** Whether it becomes unusual with this value, or much more so: the moment to tell it. */
  isNew: boolean;
  /** What was expected, and from where on a single value would be unusual. Null while learning. */
  expected: number | null;
  low: number | null;
  high: number | null;
}

const falseAlarmsIn90Days: Record<FalseAlarms, number> = {
  one_a_year: 90 / 365,
  one_in_three_months: 1,
  one_a_month: 3,
  one_a_week: 90 / 7,
};

/** How much of the past a model is fitted to. */
const windowDays = { hours: 56, days: 400 };
/** A model is fitted again after an eighth more values, at the latest after so many days. */
const fittedAfterDays = { hours: 14, days: 7 };
/** What must be known before anything is called unusual: two of each day of the week, or three weeks. */
const learning = { hours: { days: 14, values: 100 }, days: { days: 18, values: 18 } };
/** So many ordinary values in a row end an unusual time. */
const calmNeeded = { hours: 6, days: 3 };

/** If the level is a little off, it is so for all of the last values, so together they are compared with a higher limit. */
const caution = { ofTwo: 1.05, ofThree: 1.12 };

/** Judges each value of a series by those before it. The values are in the order of their times. */
export function judgeSeries(points: Iterable<SeriesPoint>, settings: OrdinarySettings): Judgement[] {
  const judge = new SeriesJudge(settings);
  return Array.from(points, (point) => judge.next(point));
}

export class SeriesJudge {
  readonly #settings: OrdinarySettings;
  readonly #localTime: (at: number) => LocalTime;
  /** The usual time between two values. */
  #spacingMs = dayMs;
  #kind: "hours" | "days" = "days";
  readonly #values: number[] = [];
  readonly #times: LocalTime[] = [];
  readonly #moments: number[] = [];
  #model: Model | null = null;
  #fittedTo = 0;
  #scaleChosenAt = 0;
  readonly #isExcluded: boolean[] = [];
  #unusualFor = 0;
  #isUnusual = false;
  /** The strongest surprise of the unusual time. */
  #peak = 0;
  #calm = 0;
  /** Surprises of a year and more, by month and day: a yearly event is no surprise in the second year. */
  readonly #yearly = new Map<number, { day: number; z: number }[]>();

  constructor(settings: OrdinarySettings) {
    this.#settings = settings;
    this.#localTime = localClock(settings.timeZone);
  }

  next({ at, value }: SeriesPoint): Judgement {
    const nothing = { at, value, isNew: false, expected: null, low: null, high: null };
    if (value === null || !Number.isFinite(value)) return { ...nothing, state: "no_data" };
    const time = this.#localTime(at);
    this.#fitIfDue(time);
    const model = this.#model;
    const judgement = model ? this.#judge(model, at, value) : { ...nothing, state: "learning" as const };
    model?.add(value, time);
    this.#values.push(value);
    this.#times.push(time);
    this.#moments.push(at);
    this.#unusualFor = judgement.state === "unusual" ? this.#unusualFor + 1 : 0;
    this.#isExcluded.push(this.#unusualFor > 1);
    return judgement;
  }

  #measureSpacing(): void {
    const latest = this.#moments.slice(-1000);
    this.#spacingMs = Math.max(1, median(latest.slice(1).map((at, i) => at - (latest[i] ?? at))));
    this.#kind = this.#spacingMs <= dayMs / 4 ? "hours" : "days";
  }

  #fitIfDue(time: LocalTime): void {
    const count = this.#values.length;
    if (count < learning.days.values) return;
    if (!this.#model) this.#measureSpacing();
    const { days, values } = learning[this.#kind];
    if (count < values || time.day - (this.#times[0]?.day ?? 0) < days) return;
    const atLatest = (fittedAfterDays[this.#kind] * dayMs) / this.#spacingMs;
    if (this.#model && count - this.#fittedTo < Math.min(atLatest, count / 8)) return;
    const from = this.#times.findIndex(({ day }) => day > time.day - windowDays[this.#kind]);
    const history = {
      values: this.#values.slice(from),
      times: this.#times.slice(from),
      isExcluded: this.#isExcluded.slice(from),
      hasHours: this.#kind === "hours",
    };
    const isScaleDue = !this.#model || count > this.#scaleChosenAt * 1.3;
    if (isScaleDue) this.#scaleChosenAt = count;
    this.#model = fitModel(history, isScaleDue ? undefined : this.#model?.scaleName);
    this.#fittedTo = count;
  }

  #judge(model: Model, at: number, value: number): Judgement {
    const time = this.#localTime(at);
    const follows = at - (this.#moments.at(-1) ?? at) <= 2.5 * this.#spacingMs;
    const surprise = model.judge(value, time, follows);
    const z = this.#withoutHolidays(surprise.z, time);
    const in90Days = { kind: this.#kind, count: (90 * dayMs) / this.#spacingMs };
    const limitOf = (values: 1 | 2 | 3) =>
      thresholdFor(falseAlarmsIn90Days[this.#settings.falseAlarms], in90Days, model.tail / values);
    const limit = limitOf(1);
    // Compared with the limit of a single value.
    const [ofTwo, ofThree] = surprise.together;
    const strength = Math.abs(
      this.#strongest(z, [(ofTwo * limit) / limitOf(2), (ofThree * limit) / limitOf(3)]),
    );
    const isOver = strength > limit;
    // During an unusual time, only something much stronger is news.
    const isNew = isOver && (!this.#isUnusual || Math.abs(z) > 2 * this.#peak);
    this.#peak = this.#isUnusual ? Math.max(this.#peak, strength) : strength;
    if (isOver) this.#isUnusual = true;
    this.#calm = Math.abs(z) < 0.6 * limit ? this.#calm + 1 : 0;
    if (this.#isUnusual && !isOver && this.#calm >= calmNeeded[this.#kind]) this.#isUnusual = false;
    if (Math.abs(z) > 3) this.#remember(time, z);
    return {
      at,
      value,
      state: this.#isUnusual ? "unusual" : "ordinary",
      isNew,
      expected: surprise.expected,
      low: surprise.valueAt(-limit),
      high: surprise.valueAt(limit),
    };
  }

  /** The strongest of the surprises of the last value, the last two and the last three, in the wanted direction. */
  #strongest(z: number, [ofTwo, ofThree]: [number, number]): number {
    // A holiday, which is no surprise, makes none together with the days before it.
    const candidates = z === 0 ? [0] : [z, ofTwo / caution.ofTwo, ofThree / caution.ofThree];
    const { direction } = this.#settings;
    const wanted = candidates.map((one) =>
      direction === "both" ? one : direction === "above" ? Math.max(one, 0) : Math.min(one, 0),
    );
    return wanted.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0);
  }

  #withoutHolidays(z: number, time: LocalTime): number {
    if (z < 0 && time.isHoliday) return 0;
    const earlier = this.#yearly.get(time.monthAndDay)?.filter(({ day }) => time.day - day > 300) ?? [];
    const known = earlier.reduce(
      (most, one) => (one.z * z > 0 && Math.abs(one.z) > Math.abs(most) ? one.z : most),
      0,
    );
    return Math.sign(z) * Math.max(0, Math.abs(z) - Math.abs(known));
  }

  #remember(time: LocalTime, z: number): void {
    const known = this.#yearly.get(time.monthAndDay);
    if (known) known.push({ day: time.day, z });
    else this.#yearly.set(time.monthAndDay, [{ day: time.day, z }]);
  }
}
