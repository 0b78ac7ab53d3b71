import { sqlString } from "./sql-text.ts";

/** A number as in JSON: no leading zero, no plus sign, no separators, digits on both sides of the point. */
const plainNumber = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?";
const negativeZero = "-0(?:\\.0+)?";

export const isNumber = (text: string): string =>
  `regexp_full_match(${text}, ${sqlString(`${plainNumber}(?:[eE][+-]?[0-9]{1,4})?`)})`;

/** Whether a type that prints a value in one way only holds the text: it prints the same text. */
export const printsSame = (type: string, text: string): string =>
  `coalesce(CAST(TRY_CAST(${text} AS ${type}) AS VARCHAR) = ${text}, false)`;

/** Whether DECIMAL holds a number: neither a digit nor the sign of a zero is lost. Precision and scale are left open. */
export const isPlainDecimal = (text: string): string =>
  `(regexp_full_match(${text}, ${sqlString(plainNumber)}) AND NOT regexp_full_match(${text}, ${sqlString(negativeZero)}))`;

export const fractionDigits = (text: string): string => `length(rtrim(split_part(${text}, '.', 2), '0'))`;

/** `DECIMAL(18,2)`: the number of digits after the point that are kept. */
export function isExactDecimal(type: string, text: string): string {
  const scale = /,(\d+)\)$/.exec(type)?.[1] ?? "0";
  return `(${isPlainDecimal(text)} AND ${fractionDigits(text)} <= ${scale} AND TRY_CAST(${text} AS ${type}) IS NOT NULL)`;
}

const notFinite = "NaN|nan|inf|-inf|Infinity|-Infinity";

export const isNotFinite = (text: string): string => `regexp_full_match(${text}, ${sqlString(notFinite)})`;

/**
 * Whether a number is the shortest form of its double, or equal to it. A number of at most 15 digits always is; this is
 * the cheap test for most values.
 */
export function isExactDouble(text: string): string {
  const shortest = `CAST(TRY_CAST(${text} AS DOUBLE) AS VARCHAR)`;
  const isShort = `(length(${text}) <= 17 AND NOT contains(lower(${text}), 'e') AND length(replace(ltrim(${text}, '-'), '.', '')) <= 15)`;
  return `(${isShort} OR coalesce(${shortest} = ${text}, false) OR coalesce(${isSameNumber(text, shortest)}, false))`;
}

/** Whether two texts in the form of a number, or of an infinity, have the same digits at the same place. */
function isSameNumber(one: string, other: string): string {
  const [left, right] = [partsOf(one), partsOf(other)];
  return `(${left.digits} = ${right.digits} AND starts_with(${one}, '-') = starts_with(${other}, '-') AND (${left.digits} = '' OR ${left.exponent} = ${right.exponent}) AND isfinite(TRY_CAST(${one} AS DOUBLE)))`;
}

/** The digits without zeros around them, and the power of ten of the place before the first one. */
function partsOf(text: string): { digits: string; exponent: string } {
  const mantissa = `ltrim(split_part(lower(${text}), 'e', 1), '-')`;
  const whole = `split_part(${mantissa}, '.', 1)`;
  const all = `replace(${mantissa}, '.', '')`;
  const power = `coalesce(TRY_CAST(nullif(split_part(lower(${text}), 'e', 2), '') AS INTEGER), 0)`;
  return {
    digits: `trim(${all}, '0')`,
    exponent: `(length(${whole}) + ${power} - length(${all}) + length(ltrim(${all}, '0')))`,
  };
}
