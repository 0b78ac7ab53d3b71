/** Nearest rank: the smallest value that is at least as large as `percent` percent of the values. */
export function percentile(values: number[], percent: number): number {
  const rank = Math.max(1, Math.ceil((values.length * percent) / 100));
  return values.toSorted((a, b) => a - b)[rank - 1] ?? Number.NaN;
}
