/** Like `Float64Array.from`, which is ten times slower because it iterates. */
export function toFloats<Item>(
  items: ArrayLike<Item>,
  toFloat: (item: Item, i: number) => number,
): Float64Array {
  const floats = new Float64Array(items.length);
  for (let i = 0; i < items.length; i++) floats[i] = toFloat(items[i] as Item, i);
  return floats;
}

/** The value at a share of the sorted values, between two of them where it falls between. NaN without values. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? low;
  return low + (high - low) * (place - below);
}

/** Reused, because medians of many short lists are computed. */
let scratch = new Float64Array(1024);

function copyToScratch(values: ArrayLike<number>, isDistance: boolean): void {
  if (scratch.length < values.length) scratch = new Float64Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    scratch[i] = isDistance ? Math.abs(value) : value;
  }
}

/** Partly sorts the first values, so that the value at this place is where sorting would put it (Hoare's selection). */
function selectInScratch(place: number, count: number): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const pivot = scratch[(low + high) >> 1] ?? 0;
    let [i, j] = [low, high];
    while (i <= j) {
      while ((scratch[i] ?? 0) < pivot) i++;
      while ((scratch[j] ?? 0) > pivot) j--;
      if (i <= j) {
        const swapped = scratch[i] ?? 0;
        scratch[i] = scratch[j] ?? 0;
        scratch[j] = swapped;
        i++;
        j--;
      }
    }
    if (place <= j) high = j;
    else if (place >= i) low = i;
    else break;
  }
  return scratch[place] ?? Number.NaN;
}

function medianOfScratch(count: number): number {
  if (count === 0) return Number.NaN;
  const upper = selectInScratch(count >> 1, count);
  if (count % 2 === 1) return upper;
  let lower = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count >> 1; i++) lower = Math.max(lower, scratch[i] ?? 0);
  return (lower + upper) / 2;
}

/** NaN without values. */
export function median(values: ArrayLike<number>): number {
  copyToScratch(values, false);
  return medianOfScratch(values.length);
}

/** The median distance from zero, scaled so that it is the standard deviation of normally distributed values. */
export function medianDeviation(values: ArrayLike<number>): number {
  copyToScratch(values, true);
  return 1.4826 * medianOfScratch(values.length);
}

export const clip = (value: number, limit: number): number => Math.max(-limit, Math.min(limit, value));

/** How far values may be from their median, in standard deviations, before they count as less. */
export const clipAt = 2.5;

/** E[min(z², 2.5²)] of the normal distribution. */
const clippedVariance = 0.9776;

/** A standard deviation around zero on which a few wild values have little influence. */
export function robustDeviation(values: ArrayLike<number>): number {
  const rough = medianDeviation(values);
  if (!(rough > 0)) return 0;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += clip(values[i] ?? 0, clipAt * rough) ** 2;
  return Math.sqrt(sum / values.length / clippedVariance);
}

/** The probability that a standard normal value is more than `z` (Abramowitz and Stegun 26.2.17, or its tail). */
function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 6) return (density / z) * (1 - 1 / (z * z) + 3 / z ** 4);
  const t = 1 / (1 + 0.2316419 * z);
  const polynomial =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return density * polynomial;
}

/** The `z` beyond which a standard normal value is with this probability. */
export function normalQuantile(tail: number): number {
  if (tail > 0.5) return -normalQuantile(1 - tail);
  let [low, high] = [0, 38];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (normalTail(middle) > tail) low = middle;
    else high = middle;
  }
  return low;
}
