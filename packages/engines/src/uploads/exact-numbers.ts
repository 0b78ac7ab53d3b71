import { type OwnSql, sql, sqlString, sqlType } from "../duckdb/own-sql.ts";

/** A number as in JSON: no leading zero, no plus sign, no separators, digits on both sides of the point. */
const plainNumber = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?";
const negativeZero = "-0(?:\\.0+)?";

export const isNumber = (text: OwnSql): OwnSql =>
  sql`regexp_full_match(${text}, ${sqlString(`${plainNumber}(?:[eE][+-]?[0-9]{1,4})?`)})`;

export const isWhole = (text: OwnSql): OwnSql => sql`regexp_full_match(${text}, '-?(?:0|[1-9][0-9]*)')`;

/** Whether a type that prints a value in one way only holds the text: it prints the same text. */
export const printsSame = (type: string, text: OwnSql): OwnSql =>
  sql`coalesce(CAST(TRY_CAST(${text} AS ${sqlType(type)}) AS VARCHAR) = ${text}, false)`;

/** Whether DECIMAL holds a number: neither a digit nor the sign of a zero is lost. Precision and scale are left open. */
export const isPlainDecimal = (text: OwnSql): OwnSql =>
  sql`(regexp_full_match(${text}, ${sqlString(plainNumber)}) AND NOT regexp_full_match(${text}, ${sqlString(negativeZero)}))`;

export const fractionDigits = (text: OwnSql): OwnSql => sql`length(rtrim(split_part(${text}, '.', 2), '0'))`;

/** `DECIMAL(18,2)`: the number of digits after the point that are kept. */
export function isExactDecimal(type: string, text: OwnSql): OwnSql {
  const scale = Number(/,(\d+)\)$/.exec(type)?.[1] ?? 0);
  return sql`(${isPlainDecimal(text)} AND ${fractionDigits(text)} <= ${scale} AND TRY_CAST(${text} AS ${sqlType(type)}) IS NOT NULL)`;
}

const notFinite = "NaN|nan|inf|-inf|Infinity|-Infinity";

export const isNotFinite = (text: OwnSql): OwnSql => sql`regexp_full_match(${text}, ${sqlString(notFinite)})`;

/**
 * Whether a number equals the shortest form of its double. Both have that double as their nearest, so they are equal if
 * they have the same digits. A number of at most 15 digits always is: this is the cheap test for most values.
 */
export function isExactDouble(text: OwnSql): OwnSql {
  const shortest = sql`CAST(TRY_CAST(${text} AS DOUBLE) AS VARCHAR)`;
  const isShort = sql`(length(${text}) <= 16 AND NOT contains(lower(${text}), 'e') AND (contains(${text}, '.') OR length(${text}) <= 15))`;
  return sql`(${isShort} OR coalesce(${shortest} = ${text} OR ${significantDigits(text)} = ${significantDigits(shortest)}, false))`;
}

const significantDigits = (text: OwnSql): OwnSql =>
  sql`trim(regexp_replace(${text}, '[eE].*|[-.]', '', 'g'), '0')`;
