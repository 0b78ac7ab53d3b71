import { type OwnSql, sql, sqlString, sqlType } from "../duckdb/own-sql.ts";
import { allOf } from "./conditions.ts";
import type { DateOrder } from "./upload-tasks.ts";

// The year 0000 would be shown as another one.
const year = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])";
const date = `${year}-[0-9]{2}-[0-9]{2}`;
const minutes = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
const offset = "(?:Z|[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9])?)";

/** Seconds with so many digits of a fraction, and zeros after them. */
const seconds = (digits: number): string =>
  `:[0-5][0-9](?:\\.${digits > 0 ? `[0-9]{1,${digits}}0*` : "0+"})?`;
/** A day alone is its first moment. */
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
const matches = (text: OwnSql, form: string): OwnSql => sql`regexp_full_match(${text}, ${sqlString(form)})`;

/** Whether a text has the form of a type. The day may not exist. */
export const hasForm = (type: TimeType, text: OwnSql): OwnSql => matches(text, forms[type]);

const isOfType = (type: string, text: OwnSql): OwnSql =>
  sql`TRY_CAST(${text} AS ${sqlType(type)}) IS NOT NULL`;

/** Whether the type holds the text. Undefined for types that hold neither dates nor times. */
export const holdsTime = (type: string, text: OwnSql): OwnSql | undefined =>
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
export const isSlashed = (type: SlashedType, text: OwnSql): OwnSql => matches(text, slashedForms[type]);

/** Whether the type holds a text that has the day or the month first. */
export const holdsSlashed = (type: SlashedType, order: DateOrder, text: OwnSql): OwnSql =>
  allOf(isSlashed(type, text), isOfType(type, toYearFirst(text, order)));

/** Whether a text with the day or the month first is another day in the other order, unlike 05/05/2024. */
export function dependsOnOrder(text: OwnSql): OwnSql {
  const parts = sql`string_split(translate(${text}, '.-', '//'), '/')`;
  return allOf(isSlashed("TIMESTAMP_NS", text), sql`ltrim(${parts}[1], '0') <> ltrim(${parts}[2], '0')`);
}

/** The same moment with the year first, as DuckDB reads it: months and days may have one digit. */
export function toYearFirst(text: OwnSql, order: DateOrder): OwnSql {
  const yearFirst = order === "dmy" ? "\\3-\\2-\\1" : "\\3-\\1-\\2";
  return sql`regexp_replace(${text}, '^([0-9]+)[/.-]([0-9]+)[/.-]([0-9]+)', ${sqlString(yearFirst)})`;
}
