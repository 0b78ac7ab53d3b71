import { normalQuantile } from "./statistics.ts";

/** The means of the normal distribution: of min(|z|, 1.5), and of |z| between its quantiles of 90 and 98 percent. */
const normalBody = 0.7393;
const normalShoulder = 1.9122;

/**
 * How heavy the tails of surprises are, from their shoulder rather than their ends, where real events are: 0 for the
 * normal distribution. A value that would be `z` is then expected at `z · exp(tail · z² / 2)` (Tukey's h distribution).
 */
export function estimateTail(zs: Float64Array): number {
  if (zs.length < 20) return 0.05;
  const sizes = zs.map(Math.abs).sort();
  const body = sizes.reduce((sum, size) => sum + Math.min(size, 1.5), 0) / sizes.length;
  if (body === 0) return 0;
  const shoulder = sizes.subarray(Math.floor(sizes.length * 0.9), Math.ceil(sizes.length * 0.98));
  const mean = shoulder.reduce((sum, size) => sum + size, 0) / shoulder.length;
  const tail = Math.log(mean / body / (normalShoulder / normalBody)) / 1.53;
  // Less what chance alone gives now and then.
  const chance = 0.5 / Math.sqrt(sizes.length);
  return Math.min(0.12, Math.max(0, 0.6 * (tail - chance)));
}

/** Three ways to look at the latest values, which are not independent, count as about two. */
const looks = 2;
/** Of the false alarms that are accepted; the others come from what a model does not know, which is more with hours. */
const shareOfChance = { hours: 0.5, days: 1 };

/** The surprise that is exceeded by chance this many times in so many values. */
export function thresholdFor(
  falseAlarms: number,
  { kind, count }: { kind: "hours" | "days"; count: number },
  tail: number,
): number {
  const probability = Math.min(0.05, (falseAlarms * shareOfChance[kind]) / count / looks / 2);
  const normal = normalQuantile(probability);
  return normal * Math.exp((tail * normal * normal) / 2);
}
