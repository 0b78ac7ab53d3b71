import { type Decimal, power } from "../digest/decimals.ts";

/** An exact number. The denominator is positive. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

export function toFraction({ units, scale }: Decimal): Fraction {
  return { numerator: units, denominator: power(scale) };
}

export function fraction(numerator: bigint, denominator: bigint): Fraction {
  return denominator < 0n ? { numerator: -numerator, denominator: -denominator } : { numerator, denominator };
}

export const subtract = (one: Fraction, other: Fraction): Fraction => ({
  numerator: one.numerator * other.denominator - other.numerator * one.denominator,
  denominator: one.denominator * other.denominator,
});

/** Null when it would divide by zero. */
export const divide = (one: Fraction, other: Fraction): Fraction | null =>
  other.numerator === 0n
    ? null
    : fraction(one.numerator * other.denominator, one.denominator * other.numerator);

export const multiply = ({ numerator, denominator }: Fraction, factor: bigint): Fraction => ({
  numerator: numerator * factor,
  denominator,
});

export const absolute = ({ numerator, denominator }: Fraction): Fraction => ({
  numerator: numerator < 0n ? -numerator : numerator,
  denominator,
});

export const signOf = ({ numerator }: Fraction): -1 | 0 | 1 => (numerator < 0n ? -1 : numerator > 0n ? 1 : 0);

/** Negative, zero or positive, as the first is less than, equal to or more than the second. */
export function compare(one: Fraction, other: Fraction): -1 | 0 | 1 {
  // Most have the same denominator.
  const isPlain = one.denominator === other.denominator;
  const [first, second] = isPlain
    ? [one.numerator, other.numerator]
    : [one.numerator * other.denominator, other.numerator * one.denominator];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** In units of 10 to the power of `-scale`, rounded with halves away from zero. */
export function unitsAt({ numerator, denominator }: Fraction, scale: number): bigint {
  const scaled = scale >= 0 ? numerator * power(scale) : numerator;
  const by = scale >= 0 ? denominator : denominator * power(-scale);
  const size = scaled < 0n ? -scaled : scaled;
  const rounded = (2n * size + by) / (2n * by);
  return scaled < 0n ? -rounded : rounded;
}

/** The number in digits, rounded to `decimals` places, without trailing zeros. */
export function writeFraction(value: Fraction, decimals: number): string {
  const digits = String(unitsAt(absolute(value), decimals)).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const fractionDigits = digits.slice(point).replace(/(?<!0)0+$/, "");
  return `${signOf(value) < 0 ? "-" : ""}${digits.slice(0, point)}${fractionDigits && `.${fractionDigits}`}`;
}
