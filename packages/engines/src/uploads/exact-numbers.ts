import { type OwnSql, sql, sqlString, sqlType } from "../duckdb/own-sql.ts";
import { allOf, anyOf } from "./conditions.ts";

/** A number as in JSON: no leading zero, no plus sign, no separators, digits on both sides of the point. */
const plainNumber = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?";
const negativeZero = "-0(?:\\.0+)?";

export const isNumber = (text: OwnSql): OwnSql =>
  sql`regexp_full_match(${text}, ${sqlString(`${plainNumber}(?:[eE][+-]?[0-9]{1,4})?`)})`;

/** Whether a type that prints a value in one way only holds the text: it prints the same text. */
export const printsSame = (type: string, text: OwnSql): OwnSql =>
  allOf(sql`CAST(TRY_CAST(${text} AS ${sqlType(type)}) AS VARCHAR) = ${text}`);

/** Whether a number has neither an exponent nor the sign of a zero, which DECIMAL would lose. */
const isPlainDecimal = (text: OwnSql): OwnSql =>
  allOf(
    sql`regexp_full_match(${text}, ${sqlString(plainNumber)})`,
    sql`NOT regexp_full_match(${text}, ${sqlString(negativeZero)})`,
  );

export const fractionDigits = (text: OwnSql): OwnSql => sql`length(rtrim(split_part(${text}, '.', 2), '0'))`;

/** `DECIMAL(18,2)`: the number of digits after the point that are kept. */
export function isExactDecimal(type: string, text: OwnSql): OwnSql {
  const scale = Number(/,(\d+)\)$/.exec(type)?.[1] ?? 0);
  return allOf(
    isPlainDecimal(text),
    sql`${fractionDigits(text)} <= ${scale}`,
    sql`TRY_CAST(${text} AS ${sqlType(type)}) IS NOT NULL`,
  );
}

const notFinite = "NaN|nan|inf|-inf|Infinity|-Infinity";

export const isNotFinite = (text: OwnSql): OwnSql => sql`regexp_full_match(${text}, ${sqlString(notFinite)})`;

/** The digits that every number of this type keeps. */
const safeDigits = { FLOAT: 6, DOUBLE: 15 } as const;
export type FloatType = keyof typeof safeDigits;

/**
 * Whether a number equals the shortest form of its nearest value of the type. Both have that value as their nearest, so
 * they are equal if they have the same digits. Few digits always are: this is the cheap test for most values.
 */
export function isExactFloat(type: FloatType, text: OwnSql): OwnSql {
  const shortest = sql`CAST(TRY_CAST(${text} AS ${sqlType(type)}) AS VARCHAR)`;
  return anyOf(
    sql`regexp_full_match(${text}, ${sqlString(`-?[0-9.]{1,${safeDigits[type]}}`)})`,
    sql`${shortest} = ${text}`,
    sql`${significantDigits(text)} = ${significantDigits(shortest)}`,
  );
}

const significantDigits = (text: OwnSql): OwnSql =>
  sql`trim(regexp_replace(${text}, '[eE].*|[-.]', '', 'g'), '0')`;
