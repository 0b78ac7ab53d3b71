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
