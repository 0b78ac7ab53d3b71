import { sql, sqlJoin, sqlString, sqlType, type TrustedSql } from "../duckdb/trusted-sql.ts";
import type { DateOrder } from "./upload-tasks.ts";

/** The DECIMAL with enough digits for all values of a column. */
export const anyDecimal = "DECIMAL";

/** A type for the values of a column, and how dates such as 01/02/2024 are read in it. */
export interface ValueType {
  type: string;
  dateOrder?: DateOrder | undefined;
}

/** A condition of SQL: whether a type holds the value that a text means, exactly. */
export function holdsText({ type, dateOrder }: ValueType, text: TrustedSql): TrustedSql {
  if (dateOrder !== undefined && isOfDays(type)) {
    return anyOf(holdsSlashed(type, dateOrder, text), holdsText({ type }, text));
  }
  switch (type) {
    case "VARCHAR":
      return sql`true`;
    case "BOOLEAN":
      return sql`(lower(${text}) IN ('true', 'false'))`;
    case "FLOAT":
    case "DOUBLE":
      return anyOf(allOf(isNumber(text), isExactFloat(type, text)), isNotFinite(text));
    case "UUID":
      return allOf(sql`CAST(TRY_CAST(${text} AS UUID) AS VARCHAR) = lower(${text})`);
    case "JSON":
      return sql`json_valid(${text})`;
  }
  if (type.startsWith("DECIMAL(")) return isExactDecimal(type, text);
  return holdsTime(type, text) ?? printsSame(type, text);
}

/** The value of a text that the type holds. */
export function castText({ type, dateOrder }: ValueType, text: TrustedSql): TrustedSql {
  if (type === "VARCHAR") return text;
  const yearFirst =
    dateOrder !== undefined && isOfDays(type)
      ? sql`CASE WHEN ${isSlashed(type, text)} THEN ${toYearFirst(text, dateOrder)} ELSE ${text} END`
      : text;
  return sql`CAST(${yearFirst} AS ${sqlType(type)})`;
}

/** A number as in JSON: no leading zero, no plus sign, no separators, digits on both sides of the point. */
const plainNumber = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?";
const negativeZero = "-0(?:\\.0+)?";

export const isNumber = (text: TrustedSql): TrustedSql =>
  sql`regexp_full_match(${text}, ${sqlString(`${plainNumber}(?:[eE][+-]?[0-9]{1,4})?`)})`;

/**
 * For types that print each value in one way only: whether a cast to the type and back gives the same text.
 */
const printsSame = (type: string, text: TrustedSql): TrustedSql =>
  allOf(sql`CAST(TRY_CAST(${text} AS ${sqlType(type)}) AS VARCHAR) = ${text}`);

/** Whether a number has neither an exponent nor the sign of a zero, which DECIMAL would lose. */
const isPlainDecimal = (text: TrustedSql): TrustedSql =>
  allOf(
    sql`regexp_full_match(${text}, ${sqlString(plainNumber)})`,
    sql`NOT regexp_full_match(${text}, ${sqlString(negativeZero)})`,
  );

export const fractionDigits = (text: TrustedSql): TrustedSql =>
  sql`length(rtrim(split_part(${text}, '.', 2), '0'))`;

/** The digits after the point, as they are written. */
export const fractionDigitsWithZeros = (text: TrustedSql): TrustedSql =>
  sql`length(split_part(${text}, '.', 2))`;

/** `DECIMAL(18,2)`: the number of digits after the point that are kept. */
function isExactDecimal(type: string, text: TrustedSql): TrustedSql {
  const scale = Number(/,(\d+)\)$/.exec(type)?.[1] ?? 0);
  return allOf(
    isPlainDecimal(text),
    sql`${fractionDigits(text)} <= ${scale}`,
    sql`TRY_CAST(${text} AS ${sqlType(type)}) IS NOT NULL`,
  );
}

const notFinite = "NaN|nan|inf|-inf|Infinity|-Infinity";

export const isNotFinite = (text: TrustedSql): TrustedSql =>
  sql`regexp_full_match(${text}, ${sqlString(notFinite)})`;

/** The digits that every number of this type keeps. */
const safeDigits = { FLOAT: 6, DOUBLE: 15 } as const;
type FloatType = keyof typeof safeDigits;

/**
 * Whether a number equals the shortest form of its nearest value of the type: then both have the same digits.
 * Numbers with few digits always do, which decides most values at low cost.
 */
export function isExactFloat(type: FloatType, text: TrustedSql): TrustedSql {
  const shortest = sql`CAST(TRY_CAST(${text} AS ${sqlType(type)}) AS VARCHAR)`;
  return anyOf(
    sql`regexp_full_match(${text}, ${sqlString(`-?[0-9.]{1,${safeDigits[type]}}`)})`,
    sql`${shortest} = ${text}`,
    sql`${significantDigits(text)} = ${significantDigits(shortest)}`,
  );
}

const significantDigits = (text: TrustedSql): TrustedSql =>
  sql`trim(regexp_replace(${text}, '[eE].*|[-.]', '', 'g'), '0')`;

// The year 0000 would be shown as another one.
const year = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])";
const date = `${year}-[0-9]{2}-[0-9]{2}`;
const minutes = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
const offset = "(?:Z|[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9])?)";

/** Seconds with up to `digits` fractional digits, and zeros after them. */
const seconds = (digits: number): string =>
  `:[0-5][0-9](?:\\.${digits > 0 ? `[0-9]{1,${digits}}0*` : "0+"})?`;
/** A day alone means its start. */
const timestamp = (digits: number) => `${date}(?:[ T]${minutes}(?:${seconds(digits)})?)?`;

/** The types for dates and times, with the form of the texts of which they keep every digit. */
const forms = {
  DATE: date,
  TIME: `${minutes}${seconds(6)}`,
  TIME_NS: `${minutes}${seconds(9)}`,
  TIMESTAMP: timestamp(6),
  TIMESTAMP_S: timestamp(0),
  TIMESTAMP_MS: timestamp(3),
  TIMESTAMP_NS: timestamp(9),
  "TIMESTAMP WITH TIME ZONE": `${date}[ T]${minutes}${seconds(6)}${offset}`,
} as const;
type TimeType = keyof typeof forms;

const isTimeType = (type: string): type is TimeType => Object.hasOwn(forms, type);
const matches = (text: TrustedSql, form: string): TrustedSql =>
  sql`regexp_full_match(${text}, ${sqlString(form)})`;

/** Whether a text has the form of a type. The day may not exist. */
export const hasForm = (type: TimeType, text: TrustedSql): TrustedSql => matches(text, forms[type]);

const isOfType = (type: string, text: TrustedSql): TrustedSql =>
  sql`TRY_CAST(${text} AS ${sqlType(type)}) IS NOT NULL`;

/** Whether the type holds the text. Undefined for types that hold neither dates nor times. */
const holdsTime = (type: string, text: TrustedSql): TrustedSql | undefined =>
  isTimeType(type) ? allOf(hasForm(type, text), isOfType(type, text)) : undefined;

/** `1/2/2024`, `01.02.2024` or `01-02-2024`. */
const slashedDate = `[0-9]{1,2}(?:/[0-9]{1,2}/|\\.[0-9]{1,2}\\.|-[0-9]{1,2}-)${year}`;
/** The types whose values may be written with the day or the month first, with the forms of such values. */
const slashedForms = {
  DATE: slashedDate,
  TIMESTAMP: slashedTimestamp(6),
  TIMESTAMP_S: slashedTimestamp(0),
  TIMESTAMP_MS: slashedTimestamp(3),
  TIMESTAMP_NS: slashedTimestamp(9),
} as const;
type SlashedType = keyof typeof slashedForms;

function slashedTimestamp(digits: number): string {
  return `${slashedDate}(?: ${minutes}(?:${seconds(digits)})?)?`;
}

export const isOfDays = (type: string): type is SlashedType => Object.hasOwn(slashedForms, type);

/** Whether a text has the day or the month first, in the form of a type. */
export const isSlashed = (type: SlashedType, text: TrustedSql): TrustedSql =>
  matches(text, slashedForms[type]);

/** Whether the type holds a text that has the day or the month first. */
const holdsSlashed = (type: SlashedType, order: DateOrder, text: TrustedSql): TrustedSql =>
  allOf(isSlashed(type, text), isOfType(type, toYearFirst(text, order)));

/** Whether a text with the day or the month first is another day in the other order, unlike 05/05/2024. */
export function dependsOnOrder(text: TrustedSql): TrustedSql {
  const parts = sql`string_split(translate(${text}, '.-', '//'), '/')`;
  return allOf(isSlashed("TIMESTAMP_NS", text), sql`ltrim(${parts}[1], '0') <> ltrim(${parts}[2], '0')`);
}

/** The same moment with the year first, as DuckDB reads it: months and days may have one digit. */
export function toYearFirst(text: TrustedSql, order: DateOrder): TrustedSql {
  const yearFirst = order === "dmy" ? "\\3-\\2-\\1" : "\\3-\\1-\\2";
  return sql`regexp_replace(${text}, '^([0-9]+)[/.-]([0-9]+)[/.-]([0-9]+)', ${sqlString(yearFirst)})`;
}

/** Conditions of which each is tested only where all before it hold. AND tests all of them on every row. */
export const allOf = (...conditions: TrustedSql[]): TrustedSql =>
  conditions.reduceRight(
    (rest, condition) => sql`CASE WHEN ${condition} THEN ${rest} ELSE false END`,
    sql`true`,
  );

/** Conditions of which each is tested only where none before it holds. */
export const anyOf = (...conditions: TrustedSql[]): TrustedSql => {
  const cases = conditions.map((condition) => sql`WHEN ${condition} THEN true`);
  return sql`CASE ${sqlJoin(cases, " ")} ELSE false END`;
};
