import { dayMs, type LocalTime, localClock, type SeriesPoint } from "../local-times.ts";
import { Random } from "./random.ts";

/** Something that was planted, and the point at which it starts. */
interface Planted {
  kind: "spike" | "step";
  index: number;
}

export interface MadeUpSeries {
  kind: string;
  /** Whether settings were chosen with series of this kind in view. */
  isHeldOut: boolean;
  spacing: "hour" | "day";
  points: SeriesPoint[];
  planted: Planted[];
}

/** What a kind of series is at one time, before anything is planted. */
interface Drawn {
  /** Expected value, with level and season. */
  mean: number;
  /** The robust deviation of values around a mean. */
  deviation: (mean: number) => number;
  draw: (mean: number) => number;
}

interface Kind {
  name: string;
  spacing: "hour" | "day";
  isHeldOut: boolean;
  isWithGaps?: boolean;
  isCount?: boolean;
  /** Begins a series and returns how to draw each of its values. */
  begin: (random: Random) => (index: number, time: LocalTime) => Drawn;
}

const normalAround = (random: Random, deviation: number) => (mean: number) =>
  ({
    mean,
    deviation: () => deviation,
    draw: (at: number) => at + deviation * random.normal(),
  }) satisfies Drawn;

const relative = (random: Random, mean: number, share: number): Drawn => ({
  mean,
  deviation: (at) => at * share,
  draw: (at) => at * Math.exp(share * random.normal()),
});

const counted = (random: Random, mean: number): Drawn => ({
  mean,
  deviation: (at) => Math.sqrt(Math.max(at, 0.01)),
  draw: (at) => random.poisson(Math.max(at, 0)),
});

/** The robust deviation of Student's t with four degrees of freedom. */
const heavyDeviation = 0.741 * 1.4826;
const heavy = (random: Random, mean: number, deviation: number): Drawn => ({
  mean,
  deviation: () => deviation,
  draw: (at) => at + (deviation / heavyDeviation) * random.heavyTailed(),
});

const weekOf = (random: Random, size: number) => {
  const days = Array.from({ length: 7 }, () => size * random.normal());
  return ({ weekday }: LocalTime) => days[weekday] ?? 0;
};

/** From 0 at night to 1 in the afternoon. */
const dayCurve = (hour: number, peak: number) => (1 + Math.cos(((hour - peak) / 12) * Math.PI)) / 2;

const kinds: Kind[] = [
  {
    name: "daily, flat",
    spacing: "day",
    isHeldOut: false,
    begin: (random) => {
      const make = normalAround(random, random.between(1, 50));
      const level = random.between(100, 1000);
      return () => make(level);
    },
  },
  {
    name: "daily, weekly season",
    spacing: "day",
    isHeldOut: false,
    begin: (random) => {
      const make = normalAround(random, 20);
      const week = weekOf(random, random.between(20, 120));
      return (_, time) => make(1000 + week(time));
    },
  },
  {
    name: "daily, trend and weekly season",
    spacing: "day",
    isHeldOut: false,
    begin: (random) => {
      const make = normalAround(random, 20);
      const week = weekOf(random, 60);
      const slope = random.between(-1, 3);
      return (index, time) => make(2000 + slope * index + week(time));
    },
  },
  {
    name: "daily, growth in percent",
    spacing: "day",
    isHeldOut: false,
    begin: (random) => {
      const week = weekOf(random, 0.25);
      const growth = random.between(0.0005, 0.004);
      return (index, time) => relative(random, 500 * Math.exp(growth * index + week(time)), 0.06);
    },
  },
  {
    name: "daily, peaks at the ends of months",
    spacing: "day",
    isHeldOut: false,
    begin: (random) => {
      const make = normalAround(random, 25);
      const week = weekOf(random, 40);
      const [last, first] = [random.between(100, 400), random.between(80, 250)];
      return (_, time) =>
        make(
          1500 + week(time) + (time.daysToMonthEnd === 0 ? last : 0) + (time.dayOfMonth === 1 ? first : 0),
        );
    },
  },
  {
    name: "daily, heavy tails",
    spacing: "day",
    isHeldOut: false,
    begin: (random) => {
      const week = weekOf(random, 30);
      return (_, time) => heavy(random, 800 + week(time), 20);
    },
  },
  {
    name: "hourly, daily season",
    spacing: "hour",
    isHeldOut: false,
    begin: (random) => {
      const make = normalAround(random, 15);
      const [size, peak] = [random.between(50, 300), random.between(8, 18)];
      return (_, { hour }) => make(400 + size * dayCurve(hour, peak));
    },
  },
  {
    name: "hourly, other days at weekends",
    spacing: "hour",
    isHeldOut: false,
    begin: (random) => {
      const make = normalAround(random, 20);
      const quiet = random.between(0.2, 0.7);
      return (_, { hour, weekday }) =>
        make(300 + 400 * (weekday % 6 === 0 ? quiet * dayCurve(hour, 19) : dayCurve(hour, 13)));
    },
  },
  {
    name: "hourly, counts",
    spacing: "hour",
    isHeldOut: false,
    isCount: true,
    begin: (random) => {
      const [low, high] = [random.between(3, 10), random.between(20, 80)];
      return (_, { hour }) => counted(random, low + (high - low) * dayCurve(hour, 14));
    },
  },
  {
    name: "hourly, gaps",
    spacing: "hour",
    isHeldOut: false,
    isWithGaps: true,
    begin: (random) => {
      const make = normalAround(random, 5);
      const week = weekOf(random, 10);
      return (_, time) => make(100 + 60 * dayCurve(time.hour, 12) + week(time));
    },
  },
  {
    name: "daily, holidays",
    spacing: "day",
    isHeldOut: false,
    begin: (random) => {
      const week = weekOf(random, 0.2);
      const quiet = random.between(0.3, 0.7);
      return (_, time) => relative(random, 3000 * Math.exp(week(time)) * (time.isHoliday ? quiet : 1), 0.05);
    },
  },
  {
    name: "daily, counts near zero",
    spacing: "day",
    isHeldOut: false,
    isCount: true,
    begin: (random) => {
      const mean = random.between(0.3, 2.5);
      return () => counted(random, mean);
    },
  },
  {
    name: "daily, wandering level",
    spacing: "day",
    isHeldOut: false,
    begin: (random) => {
      const make = normalAround(random, 10);
      const week = weekOf(random, 15);
      const wander = random.between(1, 5);
      let level = 500;
      return (_, time) => {
        level += wander * random.normal();
        return make(level + week(time));
      };
    },
  },
  {
    name: "daily, curve over the month and trend",
    spacing: "day",
    isHeldOut: true,
    begin: (random) => {
      const make = normalAround(random, 12);
      const [size, slope] = [random.between(15, 60), random.between(-0.4, 0.8)];
      return (index, { dayOfMonth }) =>
        make(700 + slope * index + size * Math.sin((dayOfMonth / 31) * 2 * Math.PI));
    },
  },
  {
    name: "daily, each value like the one before",
    spacing: "day",
    isHeldOut: true,
    begin: (random) => {
      const share = random.between(0.3, 0.7);
      let error = 0;
      return () => ({
        mean: 300,
        deviation: () => 10,
        draw: (at) => {
          error = share * error + Math.sqrt(1 - share * share) * 10 * random.normal();
          return at + error;
        },
      });
    },
  },
  {
    name: "daily, gaps and season of the year",
    spacing: "day",
    isHeldOut: true,
    isWithGaps: true,
    begin: (random) => {
      const make = normalAround(random, 15);
      const week = weekOf(random, 50);
      return (index, time) => make(900 + 150 * Math.sin((index / 365) * 2 * Math.PI) + week(time));
    },
  },
  {
    name: "hourly, business hours only",
    spacing: "hour",
    isHeldOut: false,
    isCount: true,
    begin: (random) => {
      const busy = random.between(30, 120);
      return (_, { hour, weekday }) =>
        counted(random, hour >= 8 && hour < 18 && weekday % 6 !== 0 ? busy : 0.3);
    },
  },
  {
    name: "hourly, growth in percent",
    spacing: "hour",
    isHeldOut: true,
    begin: (random) => {
      const week = weekOf(random, 0.1);
      return (index, time) =>
        relative(random, 200 * Math.exp(index * 0.0002 + week(time) + dayCurve(time.hour, 15)), 0.08);
    },
  },
  {
    name: "hourly, heavy tails",
    spacing: "hour",
    isHeldOut: false,
    begin:
      (random) =>
      (_, { hour }) =>
        heavy(random, 250 + 100 * dayCurve(hour, 11), random.between(8, 8)),
  },
  {
    name: "hourly, counts near zero",
    spacing: "hour",
    isHeldOut: false,
    isCount: true,
    begin: (random) => {
      const high = random.between(1, 6);
      return (_, { hour }) => counted(random, 0.2 + high * dayCurve(hour, 16));
    },
  },
  {
    name: "daily, hardly anything at weekends",
    spacing: "day",
    isHeldOut: true,
    begin: (random) => {
      const quiet = random.between(0.05, 0.2);
      return (_, { weekday }) => relative(random, weekday % 6 === 0 ? 4000 * quiet : 4000, 0.08);
    },
  },
  {
    name: "daily, slope that changes",
    spacing: "day",
    isHeldOut: true,
    begin: (random) => {
      const make = normalAround(random, 20);
      const week = weekOf(random, 30);
      let [level, slope] = [1000, random.between(-1, 2)];
      return (index, time) => {
        if (index % 90 === 89) slope = random.between(-1.5, 2);
        level += slope;
        return make(level + week(time));
      };
    },
  },
  {
    name: "daily, more noise on some days",
    spacing: "day",
    isHeldOut: true,
    begin: (random) => {
      const noise = Array.from({ length: 7 }, () => random.between(8, 24));
      const week = weekOf(random, 40);
      return (_, time) => normalAround(random, noise[time.weekday] ?? 10)(600 + week(time));
    },
  },
  {
    name: "daily, a peak on the fifteenth and growth",
    spacing: "day",
    isHeldOut: true,
    begin: (random) => {
      const [growth, peak] = [random.between(0.0005, 0.002), random.between(1.3, 2)];
      return (index, { dayOfMonth }) =>
        relative(random, 900 * Math.exp(growth * index) * (dayOfMonth === 15 ? peak : 1), 0.05);
    },
  },
  {
    name: "hourly, wandering level",
    spacing: "hour",
    isHeldOut: true,
    begin: (random) => {
      const make = normalAround(random, 10);
      const wander = random.between(0.3, 1.5);
      let level = 400;
      return (_, { hour }) => {
        level += wander * random.normal();
        return make(level + 80 * dayCurve(hour, 14));
      };
    },
  },
  {
    name: "hourly, two peaks a day",
    spacing: "hour",
    isHeldOut: true,
    begin: (random) => {
      const make = normalAround(random, 12);
      const week = weekOf(random, 15);
      return (_, time) =>
        make(300 + 90 * dayCurve(2 * time.hour, 18) + 50 * dayCurve(time.hour, 13) + week(time));
    },
  },
  {
    name: "hourly, each value like the one before",
    spacing: "hour",
    isHeldOut: true,
    begin: (random) => {
      const share = random.between(0.3, 0.7);
      let error = 0;
      return (_, { hour }) => ({
        mean: 500 + 100 * dayCurve(hour, 15),
        deviation: () => 15,
        draw: (at) => {
          error = share * error + Math.sqrt(1 - share * share) * 15 * random.normal();
          return at + error;
        },
      });
    },
  },
  {
    name: "hourly, trend and weekly season",
    spacing: "hour",
    isHeldOut: true,
    begin: (random) => {
      const make = normalAround(random, 25);
      const week = weekOf(random, 60);
      const slope = random.between(-0.03, 0.06);
      return (index, time) => make(800 + slope * index + week(time) + 150 * dayCurve(time.hour, 12));
    },
  },
];

const start = Date.UTC(2024, 0, 1);
const length = { day: 540, hour: 180 * 24 };
const firstPlanted = { day: 120, hour: 42 * 24 };
const apart = { day: 60, hour: 20 * 24 };

/** Series with what is planted in each: the same for the same seed. One in five has nothing planted. */
export function makeUpSeries(seed: number, perKind: number, spacing?: "hour" | "day"): MadeUpSeries[] {
  return kinds.flatMap((kind, at) =>
    spacing && kind.spacing !== spacing
      ? []
      : Array.from({ length: perKind }, (_, number) =>
          makeUpOne(kind, new Random(seed + 7919 * (at * 1000 + number)), number % 5 === 4),
        ),
  );
}

function makeUpOne(kind: Kind, random: Random, isEmpty: boolean): MadeUpSeries {
  const { spacing } = kind;
  const stepMs = spacing === "day" ? dayMs : dayMs / 24;
  const localTime = localClock("UTC");
  const drawnAt = kind.begin(random);
  const places: number[] = [];
  for (
    let place = firstPlanted[spacing] + random.integer(0, apart[spacing] / 3);
    place < length[spacing] - 5;
    place += apart[spacing] + random.integer(0, apart[spacing] / 3)
  ) {
    if (!isEmpty) places.push(place);
  }
  const planted: Planted[] = [];
  const points: SeriesPoint[] = [];
  /** By how many deviations the level is moved. */
  let moved = 0;
  let gapUntil = 0;
  let isDue = false;
  let busiest = 0;
  for (let index = 0; index < length[spacing]; index++) {
    const at = start + index * stepMs;
    const { mean, deviation: deviationAt, draw } = drawnAt(index, localTime(at));
    const unit = deviationAt(mean);
    const deviation = deviationAt(mean + moved * unit);
    busiest = Math.max(busiest, mean);
    let spike = 0;
    isDue ||= places.includes(index);
    // At night, five deviations of a count near zero are two or three: no rule could tell them from chance.
    const isPlanted = isDue && !(kind.isCount && mean < busiest / 2);
    if (isPlanted) {
      isDue = false;
      const isSpike = random.next() < 0.5;
      // Counts near zero cannot fall by five deviations.
      const isUp = random.next() < 0.6 || mean < 9 * deviation;
      const size = (random.between(isSpike ? 5 : 3, isSpike ? 8 : 5) * deviation) / unit;
      if (isSpike) spike = (isUp ? size : -size) * unit;
      // A second step goes back: a count to where it was, if that is far enough.
      else if (kind.isCount) moved = moved * unit >= 3 * deviation ? 0 : moved + size;
      else moved += moved > 0 || (moved === 0 && !isUp) ? -size : size;
      planted.push({ kind: isSpike ? "spike" : "step", index: points.length });
    } else if (
      kind.isWithGaps &&
      !places.some((place) => index - 3 < place && place <= index + 30) &&
      index >= gapUntil
    ) {
      if (random.next() < 0.015) gapUntil = index + random.integer(1, spacing === "day" ? 6 : 29);
    }
    if (index < gapUntil) continue;
    const value = draw(mean + moved * unit) + spike;
    points.push({ at, value: kind.isCount ? Math.max(0, Math.round(value)) : value });
  }
  return { kind: kind.name, isHeldOut: kind.isHeldOut, spacing, points, planted };
}
