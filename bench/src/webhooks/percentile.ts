/** By the nearest rank: the smallest value that so many percent of all do not exceed. */
export function percentile(values: number[], percent: number): number {
  const rank = Math.max(1, Math.ceil((values.length * percent) / 100));
  return values.toSorted((a, b) => a - b)[rank - 1] ?? Number.NaN;
}
