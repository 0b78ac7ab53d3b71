/** In which form the values of a series vary by the same amount around their level. */
export interface Scale {
  name: "plain" | "root" | "logarithm" | "count";
  to(value: number): number;
  from(scaled: number): number;
  /** For roots of counts, whose variance is the variance of the count as a multiple of its mean. */
  isOfCounts?: boolean;
  /** The logarithm of the derivative of `to`: what makes the likelihoods of scales comparable. */
  logSlope(value: number): number;
}

const plain: Scale = { name: "plain", to: (value) => value, from: (scaled) => scaled, logSlope: () => 0 };

/** Larger counts vary like any numbers. */
const maxMeanOfCounts = 4;

/** The scales that fit these values. */
export function scalesFor(values: readonly number[]): Scale[] {
  let [least, sum, areIntegers] = [Number.POSITIVE_INFINITY, 0, true];
  for (const value of values) {
    least = Math.min(least, value);
    sum += value;
    areIntegers &&= Number.isInteger(value);
  }
  if (least < 0) return [plain];
  const mean = sum / values.length;
  if (areIntegers && mean < maxMeanOfCounts) return [{ ...plain, name: "count" }];
  const offset = areIntegers ? 0.375 : 0.01 * mean;
  const root: Scale = {
    name: "root",
    isOfCounts: areIntegers,
    to: (value) => 2 * Math.sqrt(Math.max(value + offset, 0)),
    from: (scaled) => Math.max(scaled, 0) ** 2 / 4 - offset,
    logSlope: (value) => -0.5 * Math.log(Math.max(value + offset, offset)),
  };
  if (least <= 0) return [plain, root];
  const logarithm: Scale = {
    name: "logarithm",
    // What is not positive is less than anything before.
    to: (value) => Math.log(Math.max(value, least / 100)),
    from: Math.exp,
    logSlope: (value) => -Math.log(Math.max(value, least / 100)),
  };
  return [plain, root, logarithm];
}
