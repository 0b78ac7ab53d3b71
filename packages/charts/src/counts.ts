/** A number with separators. */
export const formatCount = (count: number): string => count.toLocaleString();

/** "1 other", "1,204 others". */
export const countOf = (count: number, one: string): string =>
  `${formatCount(count)} ${count === 1 ? one : `${one}s`}`;
