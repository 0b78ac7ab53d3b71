import type { Difference, FigureTest } from "@querybell/domain/conditions";
import { parseDecimal } from "@querybell/summaries/decimals";
import {
  absolute,
  compare,
  divide,
  type Fraction,
  fraction,
  multiply,
  subtract,
  toFraction,
  writeFraction,
} from "@querybell/summaries/fraction";

const zero = fraction(0n, 1n);

export function parseNumber(text: string): Fraction | null {
  const decimal = parseDecimal(text.trim());
  return decimal && toFraction(decimal);
}

/** More decimals are never shown; comparisons use all of them. */
const maxDecimals = 12;

export const writeNumber = (value: Fraction): string => writeFraction(value, maxDecimals);

const add = (one: Fraction, other: Fraction): Fraction => subtract(one, multiply(other, -1n));

/** A difference as an amount. Null for a percentage of zero, which is not defined. */
function amountOf({ amount, unit }: Difference, other: Fraction): Fraction | null {
  const number = parseNumber(amount) ?? zero;
  if (unit === "absolute") return number;
  if (other.numerator === 0n) return null;
  const base = absolute(other);
  return fraction(number.numerator * base.numerator, number.denominator * base.denominator * 100n);
}

interface ComparedNumbers {
  holds: boolean;
  difference: string;
  percent: string | null;
}

/** Compares exactly. `wasMet` moves the limit by the margin, so that a value near it does not switch to and fro. */
export function compareNumbers(
  [value, other]: readonly [Fraction, Fraction],
  { operator, by, margin }: FigureTest,
  wasMet: boolean,
): ComparedNumbers | { problem: string } {
  const amount = by ? amountOf(by, other) : zero;
  if (!amount) return { problem: "It is compared with zero, and a percentage of zero is not defined." };
  const slack = wasMet && margin !== undefined ? (parseNumber(margin) ?? zero) : zero;
  const difference = subtract(value, other);
  const percent = divide(multiply(difference, 100n), absolute(other));
  return {
    holds: holds(operator, difference, { amount, slack }),
    difference: writeNumber(difference),
    percent: percent && writeFraction(percent, 1),
  };
}

function holds(
  operator: FigureTest["operator"],
  difference: Fraction,
  { amount, slack }: { amount: Fraction; slack: Fraction },
): boolean {
  const least = subtract(amount, slack);
  const negative = multiply(difference, -1n);
  switch (operator) {
    case "more":
      return compare(difference, least) > 0;
    case "at_least":
      return compare(difference, least) >= 0;
    case "less":
      return compare(negative, least) > 0;
    case "at_most":
      return compare(negative, least) >= 0;
    case "equals":
      return compare(absolute(difference), add(amount, slack)) <= 0;
    case "not_equals":
      return compare(absolute(difference), least) > 0;
  }
}

/** For texts and dates, of which only the order is known. */
export function orderHolds(operator: FigureTest["operator"], order: number): boolean {
  switch (operator) {
    case "more":
      return order > 0;
    case "at_least":
      return order >= 0;
    case "less":
      return order < 0;
    case "at_most":
      return order <= 0;
    case "equals":
      return order === 0;
    case "not_equals":
      return order !== 0;
  }
}
