import { normalQuantile } from "./statistics.ts";

const maxMean = 300;

/**
 * How surprising a small count is, as the standard normal value that is as rare: a negative binomial distribution with
 * this mean and variance, or a Poisson distribution if the variance is not more than the mean. Half of the probability of
 * the count itself is on either side.
 */
export function surpriseOfCount(count: number, mean: number, variance: number): number {
  const normal = (count - mean) / Math.sqrt(variance);
  // Large counts are normally distributed for all that matters, and a sum with as many terms as a huge count takes long.
  if (mean > maxMean || normal > 40) return normal;
  const excess = variance - mean;
  const size = excess > 0.02 * mean ? (mean * mean) / excess : null;
  let probability = size === null ? Math.exp(-mean) : (size / (size + mean)) ** size;
  let below = 0;
  for (let k = 0; k < count; k++) {
    below += probability;
    probability *= size === null ? mean / (k + 1) : ((size + k) / (k + 1)) * (mean / (size + mean));
  }
  const lower = below + probability / 2;
  if (lower <= 0.5) return -normalQuantile(Math.max(lower, 1e-12));
  // Summed from the count up, so that small tails keep their digits.
  let upper = probability / 2;
  for (let k = count; k < count + 2000; k++) {
    probability *= size === null ? mean / (k + 1) : ((size + k) / (k + 1)) * (mean / (size + mean));
    upper += probability;
    if (probability < upper * 1e-9) break;
  }
  return normalQuantile(Math.max(upper, 1e-300));
}
