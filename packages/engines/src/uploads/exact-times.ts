import { type OwnSql, sql, sqlString, sqlType } from "../duckdb/own-sql.ts";
import { allOf, anyOf } from "./conditions.ts";
import { fractionDigits } from "./exact-numbers.ts";
import type { DateOrder } from "./upload-tasks.ts";

const date = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
const minutes = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
const seconds = ":[0-5][0-9](?:\\.[0-9]+)?";
const offset = "(?:Z|[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9])?)";

const forms = {
  DATE: date,
  TIME: `${minutes}${seconds}`,
  // A day is its first moment.
  TIMESTAMP: `${date}(?:[ T]${minutes}(?:${seconds})?)?`,
  /** More digits of a second than microseconds have. */
  TIMESTAMP_NS: `${date}[ T]${minutes}:[0-5][0-9]\\.[0-9]{7,}`,
  TIME_NS: `${minutes}:[0-5][0-9]\\.[0-9]{7,}`,
  "TIMESTAMP WITH TIME ZONE": `${date}[ T]${minutes}${seconds}${offset}`,
} as const;
type TimeForm = keyof typeof forms;

export const hasForm = (form: TimeForm, text: OwnSql): OwnSql =>
  sql`regexp_full_match(${text}, ${sqlString(forms[form])})`;

/** The types for dates and times, with the form of their texts and the digits of a second that they keep. */
const timeTypes = new Map<string, { form: TimeForm; digits: number }>([
  ["DATE", { form: "DATE", digits: 0 }],
  ["TIME", { form: "TIME", digits: 6 }],
  ["TIME_NS", { form: "TIME", digits: 9 }],
  ["TIMESTAMP", { form: "TIMESTAMP", digits: 6 }],
  ["TIMESTAMP_S", { form: "TIMESTAMP", digits: 0 }],
  ["TIMESTAMP_MS", { form: "TIMESTAMP", digits: 3 }],
  ["TIMESTAMP_NS", { form: "TIMESTAMP", digits: 9 }],
  ["TIMESTAMP WITH TIME ZONE", { form: "TIMESTAMP WITH TIME ZONE", digits: 6 }],
]);

/** Whether the type holds a text that has its form: the day exists, and no digit of a second is lost. */
function isExactTime(type: string, digits: number, text: OwnSql): OwnSql {
  // The year 0000 would be shown as another one. What follows the fraction is an offset.
  const fraction = fractionDigits(sql`regexp_replace(${text}, ${sqlString(`${offset}$`)}, '')`);
  return allOf(
    sql`TRY_CAST(${text} AS ${sqlType(type)}) IS NOT NULL`,
    sql`NOT starts_with(${text}, '0000')`,
    anyOf(sql`NOT contains(${text}, '.')`, sql`${fraction} <= ${digits}`),
  );
}

/** Whether the type holds the text. Undefined for types that hold neither dates nor times. */
export function holdsTime(type: string, text: OwnSql): OwnSql | undefined {
  const found = timeTypes.get(type);
  return found && allOf(hasForm(found.form, text), isExactTime(type, found.digits, text));
}

/** `1/2/2024`, `01.02.2024` or `01-02-2024`, with a time or without. */
const slashed = "([0-9]{1,2})(?:/([0-9]{1,2})/|\\.([0-9]{1,2})\\.|-([0-9]{1,2})-)([0-9]{4})";

export const isSlashed = (text: OwnSql): OwnSql =>
  sql`regexp_full_match(${text}, ${sqlString(`${slashed}(?: ${minutes}(?:${seconds})?)?`)})`;

/** The types whose values may be written with the day or the month first. */
export const isOfDays = (type: string): boolean => type === "DATE" || /^TIMESTAMP(_S|_MS|_NS)?$/.test(type);

/** The same moment with the year first. Two digits each, as the forms of dates require. */
export function toYearFirst(text: OwnSql, order: DateOrder): OwnSql {
  const padded = sql`regexp_replace(regexp_replace(${text}, '^([0-9])([/.-])', '0\1\2'), '^(..[/.-])([0-9])([/.-])', '\10\2\3')`;
  const [day, month] = order === "dmy" ? [1, 4] : [4, 1];
  return sql`concat(${padded}[7:10], '-', ${padded}[${month}:${month + 1}], '-', ${padded}[${day}:${day + 1}], ${padded}[11:])`;
}
