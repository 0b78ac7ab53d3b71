import { judgeSeries, type OrdinarySettings } from "../judge-series.ts";
import type { SeriesPoint } from "../local-times.ts";
import { quantile } from "../statistics.ts";
import { type MadeUpSeries, makeUpSeries } from "./made-up-series.ts";

/** The points at which a rule speaks, and the first that it judges. */
interface Spoken {
  alarms: number[];
  judgedFrom: number;
}

type Rule = (series: MadeUpSeries) => Spoken;

const settings: OrdinarySettings = { timeZone: "UTC", falseAlarms: "one_in_three_months", direction: "both" };

const outOfTheOrdinary: Rule = ({ points }) => {
  const judgements = judgeSeries(points, settings);
  return {
    alarms: [...judgements.keys()].filter((i) => judgements[i]?.isNew),
    judgedFrom: judgements.findIndex(({ state }) => state !== "learning"),
  };
};

/** Speaks when values leave the limits, and again only after two values within them. */
function speakBeyond(
  points: readonly SeriesPoint[],
  from: number,
  limits: (i: number) => [number, number],
): Spoken {
  const alarms: number[] = [];
  let calm = 2;
  for (let i = from; i < points.length; i++) {
    const value = points[i]?.value ?? 0;
    const [low, high] = limits(i);
    const isOutside = value < low || value > high;
    if (isOutside && calm >= 2) alarms.push(i);
    calm = isOutside ? 0 : calm + 1;
  }
  return { alarms, judgedFrom: from };
}

const valuesOf = (points: readonly SeriesPoint[]) => Float64Array.from(points, ({ value }) => value ?? 0);
const pastOf = { day: 30, hour: 14 * 24 };

/** Limits that somebody sets once, after looking at the first weeks: what 99 in 100 of their values were within. */
const fixedThreshold: Rule = ({ points, spacing }) => {
  const from = pastOf[spacing];
  const first = valuesOf(points.slice(0, from)).sort();
  const limits: [number, number] = [quantile(first, 0.005), quantile(first, 0.995)];
  return speakBeyond(points, from, () => limits);
};

/** Mean and standard deviation of the last weeks. */
const threeSigma: Rule = ({ points, spacing }) => {
  const values = valuesOf(points);
  const past = pastOf[spacing];
  return speakBeyond(points, past, (i) => {
    const window = values.subarray(i - past, i);
    const mean = window.reduce((sum, value) => sum + value, 0) / past;
    const deviation = Math.sqrt(window.reduce((sum, value) => sum + (value - mean) ** 2, 0) / past);
    return [mean - 3 * deviation, mean + 3 * deviation];
  });
};

const rules = {
  "out of the ordinary": outOfTheOrdinary,
  "3 sigma": threeSigma,
  "fixed threshold": fixedThreshold,
} satisfies Record<string, Rule>;

export interface Measured {
  planted: number;
  found: number;
  falseAlarms: number;
  days: number;
}

/** Found is what a rule speaks of at the planted point or one of the two after it. Whatever else it says is false. */
function measureOne(rule: Rule, series: MadeUpSeries): Measured {
  const { alarms, judgedFrom } = rule(series);
  const isOf = (alarm: number, index: number) => alarm >= index && alarm < index + 3;
  const found = series.planted.filter(({ index }) => alarms.some((alarm) => isOf(alarm, index)));
  const wrong = alarms.filter((alarm) => !series.planted.some(({ index }) => isOf(alarm, index)));
  const spacingDays = series.spacing === "day" ? 1 : 1 / 24;
  return {
    planted: series.planted.length,
    found: found.length,
    falseAlarms: wrong.length,
    days: (series.points.length - judgedFrom) * spacingDays,
  };
}

const add = (one: Measured, other: Measured): Measured => ({
  planted: one.planted + other.planted,
  found: one.found + other.found,
  falseAlarms: one.falseAlarms + other.falseAlarms,
  days: one.days + other.days,
});

/** Measures each rule on each kind of series. */
export function measure(seed: number, perKind: number, spacing?: "hour" | "day") {
  const kinds = new Map<string, { isHeldOut: boolean; byRule: Record<keyof typeof rules, Measured> }>();
  for (const series of makeUpSeries(seed, perKind, spacing)) {
    const none: Measured = { planted: 0, found: 0, falseAlarms: 0, days: 0 };
    const known = kinds.get(series.kind) ?? {
      isHeldOut: series.isHeldOut,
      byRule: { "out of the ordinary": none, "3 sigma": none, "fixed threshold": none },
    };
    for (const name of Object.keys(rules) as (keyof typeof rules)[]) {
      known.byRule[name] = add(known.byRule[name], measureOne(rules[name], series));
    }
    kinds.set(series.kind, known);
  }
  return kinds;
}

export const sum = (measured: Iterable<Measured>): Measured =>
  [...measured].reduce(add, { planted: 0, found: 0, falseAlarms: 0, days: 0 });

export const falseIn90Days = ({ falseAlarms, days }: Measured): number => (falseAlarms / days) * 90;
export const foundShare = ({ found, planted }: Measured): number => (planted === 0 ? 1 : found / planted);
