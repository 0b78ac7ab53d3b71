/** What was measured over time: the medians of the second and of the last third. The first third warms up. */
export interface Thirds {
  second: number;
  last: number;
}

/** In a shorter run, the second third is part of the warm-up. */
export const minMinutes = 10;

export function compareThirds(values: readonly number[]): Thirds {
  const third = Math.floor(values.length / 3);
  return { second: middle(values.slice(third, 2 * third)), last: middle(values.slice(2 * third)) };
}

/** How much more the last third may have than the second, since the load is not even. */
export interface Tolerance {
  factor: number;
  plus: number;
}

/** Also if there are too few values to tell. */
export const hasGrown = ({ second, last }: Thirds, { factor, plus }: Tolerance): boolean =>
  !(last <= second * factor + plus);

/** NaN if there is none. */
const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
