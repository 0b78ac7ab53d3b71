import { clip, clipAt } from "./statistics.ts";

/** The correlation of neighbouring errors, robustly; 0 if it may be chance. */
export function carryOverOf(errors: Float64Array, deviation: number): number {
  let [product, square] = [0, 0];
  for (let i = 1; i < errors.length; i++) {
    const before = clip(errors[i - 1] ?? 0, clipAt * deviation);
    product += before * clip(errors[i] ?? 0, clipAt * deviation);
    square += before * before;
  }
  const correlation = square === 0 ? 0 : product / square;
  return Math.abs(correlation) < 2.5 / Math.sqrt(errors.length) ? 0 : clip(correlation, 0.9);
}

/** The variance of counts as a multiple of their means. */
export function dispersionOf(errors: Float64Array, values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < errors.length; i++) {
    const error = errors[i] ?? 0;
    sum += Math.min(9, error ** 2 / Math.max((values[i] ?? 0) - error, 0.1));
  }
  return Math.max(1, sum / errors.length);
}
