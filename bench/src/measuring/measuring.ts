import { benches } from "../suite/catalogue.ts";

/**
 * Milliseconds of the machine's monotonic clock, with fractions. Unlike `performance.timeOrigin + performance.now()`, it
 * is the same clock in every process of the machine, and nobody sets it.
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * Nearest rank: the smallest value that is at least as large as `percent` percent of the values. Throws if there is
 * none, or one that cannot have been measured: times, rates and ratios are larger than 0.
 */
export function percentile(values: readonly number[], percent: number): number {
  const impossible = values.find((value) => !(value > 0 && Number.isFinite(value)));
  if (impossible !== undefined) throw new Error(`Measured ${impossible}, which cannot be.`);
  const rank = Math.max(1, Math.ceil((values.length * percent) / 100));
  const found = values.toSorted((a, b) => a - b)[rank - 1];
  if (found === undefined) throw new Error("Nothing was measured.");
  return found;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

/** The value of a figure: that of "3/4" is 0.75. */
export function toValue(text: string): number {
  const [part = Number.NaN, whole = 1] = text.split("/").map(Number);
  return part / whole;
}

/**
 * Prints the last line of a bench, `name key=value …`. Throws if a value cannot be: not a number, infinite, negative, or
 * zero where zero means that nothing was measured. Leaves out what was not asked for, which is undefined.
 */
export function printFigures(name: string, values: Record<string, string | undefined>): void {
  const figures = benches.find((bench) => bench.name === name)?.figures ?? [];
  const shown = Object.entries(values).flatMap(([key, text]) => {
    if (text === undefined) return [];
    const value = toValue(text);
    const canBeZero = figures.some((figure) => figure.key === key && figure.canBeZero);
    if (!Number.isFinite(value) || value < 0 || (value === 0 && !canBeZero)) {
      throw new Error(`The bench ${name} measured ${key}=${text}, which cannot be. Nothing of it counts.`);
    }
    return [`${key}=${text}`];
  });
  console.log(`${name} ${shown.join(" ")}`);
}
