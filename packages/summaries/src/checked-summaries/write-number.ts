import { power } from "../digest/decimals.ts";
import { absolute, type Fraction, multiply, signOf, unitsAt } from "./fraction.ts";

export interface NumberFormat {
  point: string;
  group: string;
}

/** "full" writes all digits before the point, "short" as for a phone: 2.36 M. Only English has short forms. */
export type NumberStyle = "full" | "short";

const significantDigits = 3;
const shortUnits = [
  { exponent: 12, unit: " trillion" },
  { exponent: 9, unit: " bn" },
  { exponent: 6, unit: " M" },
];

/** A number, rounded to the digits that are written, and never to zero. */
export function writeNumber(value: Fraction, format: NumberFormat, style: NumberStyle): string {
  const sign = signOf(value) < 0 ? "-" : "";
  const size = absolute(value);
  if (signOf(size) === 0) return "0";
  const digits = wholeDigits(size);
  if (digits > 18 || digits < -5) return `${sign}${powerOfTen(size, format)}`;
  if (style === "short") {
    for (const { exponent, unit } of shortUnits) {
      const scaled = { numerator: size.numerator, denominator: size.denominator * power(exponent) };
      const decimals = Math.max(significantDigits - wholeDigits(scaled), 0);
      // 999,999,999 is 1 bn when it is rounded, but 999,999 is better told as it is.
      const hasWhole = unitsAt(scaled, decimals) >= power(decimals);
      if (digits > 6 && hasWhole) return `${sign}${withoutZeros(scaled, decimals, format)}${unit}`;
    }
    if (digits > 3) return `${sign}${withoutZeros(size, 0, format)}`;
  }
  const decimals = digits > 0 ? 2 : significantDigits - digits;
  return `${sign}${withoutZeros(size, decimals, format)}`;
}

/** A number with enough digits to distinguish it from another one that is close to it. */
export const writeExactly = (value: Fraction, format: NumberFormat): string =>
  `${signOf(value) < 0 ? "-" : ""}${withoutZeros(absolute(value), 12, format)}`;

const hundred = 100n;
const isHundred = ({ numerator, denominator }: Fraction): boolean => numerator === hundred * denominator;

/** A percentage with one decimal place, or none if it is large and the style is short. */
export function writePercent(percent: Fraction, format: NumberFormat, style: NumberStyle): string {
  const size = absolute(percent);
  const isLarge = style === "short" && unitsAt(size, 1) >= 100n;
  let decimals = isLarge ? 0 : 1;
  // 99.97 % is not written as 100 %: that would mean all.
  while (decimals < 12 && unitsAt(size, decimals) === hundred * power(decimals) && !isHundred(size))
    decimals++;
  return withoutZeros(size, decimals, format);
}

export const writeCount = (count: number, format: NumberFormat): string => inThousands(String(count), format);

/** How many digits a positive number has before the point. Zero or negative for numbers below one. */
function wholeDigits({ numerator, denominator }: Fraction): number {
  const guess = String(numerator).length - String(denominator).length;
  const isAtLeast = (exponent: number) =>
    exponent >= 0 ? numerator >= denominator * power(exponent) : numerator * power(-exponent) >= denominator;
  return isAtLeast(guess) ? guess + 1 : guess;
}

function powerOfTen(size: Fraction, format: NumberFormat): string {
  const exponent = wholeDigits(size) - 1;
  const mantissa =
    exponent >= 0
      ? { numerator: size.numerator, denominator: size.denominator * power(exponent) }
      : multiply(size, power(-exponent));
  // 9.999 is 10 when it is rounded.
  const isCarried = unitsAt(mantissa, significantDigits - 1) >= power(significantDigits);
  return isCarried
    ? `1 × 10^${exponent + 1}`
    : `${withoutZeros(mantissa, significantDigits - 1, format)} × 10^${exponent}`;
}

function withoutZeros(size: Fraction, decimals: number, format: NumberFormat): string {
  const digits = String(unitsAt(size, decimals)).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const behind = digits.slice(point).replace(/(?<!0)0+$/, "");
  return `${inThousands(digits.slice(0, point), format)}${behind && `${format.point}${behind}`}`;
}

function inThousands(digits: string, { group }: NumberFormat): string {
  const first = digits.length % 3 || 3;
  const groups = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return groups.join(group);
}
