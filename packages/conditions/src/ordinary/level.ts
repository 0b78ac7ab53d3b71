import { clip, clipAt, median } from "./statistics.ts";

/** How fast a level follows the values: shares of each difference that go into the level and into its slope. */
interface Pace {
  level: number;
  slope: number;
}

const paces: Record<"hours" | "days", readonly Pace[]> = {
  hours: [
    { level: 0.005, slope: 0 },
    { level: 0.015, slope: 0 },
    { level: 0.05, slope: 0 },
    { level: 0.15, slope: 0 },
    { level: 0.4, slope: 0 },
    { level: 0.8, slope: 0 },
    { level: 0.03, slope: 0.0003 },
    { level: 0.15, slope: 0.003 },
  ],
  days: [
    { level: 0.02, slope: 0 },
    { level: 0.06, slope: 0 },
    { level: 0.15, slope: 0 },
    { level: 0.4, slope: 0 },
    { level: 0.8, slope: 0 },
    { level: 0.06, slope: 0.002 },
    { level: 0.15, slope: 0.01 },
    { level: 0.4, slope: 0.03 },
  ],
};

/** So many values on one side of the level are a new level. */
const runForNewLevel = { hours: 6, days: 4 };

/**
 * Follows the level of a series without its season. Several paces are tried at once; those that predicted best count
 * most. A wild value moves the level little; a run of them makes a new level.
 */
export class Level {
  readonly #paces: readonly Pace[];
  readonly #levels: Float64Array;
  readonly #slopes: Float64Array;
  readonly #errors: Float64Array;
  readonly #runNeeded: number;
  readonly #memory: number;
  #count = 0;
  /** The latest values, while they are all far on the same side. */
  #run: number[] = [];
  #runSide = 0;
  /** Computed when asked for, until the next value. */
  #prediction: number | null = null;

  constructor(kind: "hours" | "days") {
    this.#paces = paces[kind];
    const count = this.#paces.length;
    this.#levels = new Float64Array(count);
    this.#slopes = new Float64Array(count);
    this.#errors = new Float64Array(count);
    this.#runNeeded = runForNewLevel[kind];
    this.#memory = kind === "hours" ? 1 / 150 : 1 / 50;
  }

  predict(): number {
    if (this.#prediction !== null) return this.#prediction;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#errors.length; i++) least = Math.min(least, this.#errors[i] ?? 0);
    let sum = 0;
    let weights = 0;
    for (let i = 0; i < this.#levels.length; i++) {
      const error = this.#errors[i] ?? 0;
      const square = error > 0 ? (least / error) ** 2 : 1;
      const weight = square * square * square * square * square * square;
      sum += weight * ((this.#levels[i] ?? 0) + (this.#slopes[i] ?? 0));
      weights += weight;
    }
    this.#prediction = sum / weights;
    return this.#prediction;
  }

  /** `deviation` is how far values usually are from their prediction. */
  add(value: number, deviation: number): void {
    if (this.#count === 0) this.#levels.fill(value);
    const limit = clipAt * deviation;
    this.#watchRun(value, deviation);
    this.#prediction = null;
    this.#count++;
    for (let i = 0; i < this.#paces.length; i++) {
      const pace = this.#paces[i] as Pace;
      const error = value - (this.#levels[i] ?? 0) - (this.#slopes[i] ?? 0);
      const step = clip(error, limit);
      const rate = Math.max(pace.level, 1 / this.#count);
      this.#levels[i] = (this.#levels[i] ?? 0) + (this.#slopes[i] ?? 0) + rate * step;
      if (pace.slope > 0 && this.#count > 10) this.#slopes[i] = (this.#slopes[i] ?? 0) + pace.slope * step;
      if (this.#count > 3) {
        const memory = Math.max(this.#memory, 1 / (this.#count - 3));
        this.#errors[i] = (this.#errors[i] ?? 0) * (1 - memory) + memory * Math.abs(step);
      }
    }
  }

  #watchRun(value: number, deviation: number): void {
    const error = value - this.predict();
    const side = Math.abs(error) > 1.5 * deviation ? Math.sign(error) : 0;
    if (side === 0 || side !== this.#runSide) this.#run = [];
    this.#runSide = side;
    if (side === 0) return;
    this.#run.push(value);
    if (this.#run.length < this.#runNeeded) return;
    this.#levels.fill(median(this.#run));
    this.#slopes.fill(0);
    this.#run = [];
  }
}
