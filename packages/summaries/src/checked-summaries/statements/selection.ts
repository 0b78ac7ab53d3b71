import type { JsonValue } from "@querybell/domain/results";
import { parseDecimal } from "../../digest/decimals.ts";
import { toTime } from "../../digest/written-day.ts";
import type { ResultTable } from "../../stored-results/result-table.ts";
import { toFraction } from "../fraction.ts";
import { quoteName } from "../safe-name.ts";
import { asText, isNumeric, orderTo } from "../select-rows.ts";
import { type Attribute, type Comparator, refuse } from "../slot.ts";
import { writeExactly } from "../write-number.ts";
import { concat, valueFrom, type Written, write } from "../written.ts";
import { fieldAt, findColumnNamed, isMeasure, labelAt, writeLabel } from "./columns.ts";
import { type DatedColumn, isDated, isIn, type NamedPeriod, readDates } from "./dates.ts";
import { findPeriod } from "./parse-period.ts";
import type { Request, StatementContext } from "./request.ts";
import { periodSuffix } from "./where.ts";

/** Rows of a result, and the words that say which. */
export interface Selection {
  run: "now" | "before";
  table: ResultTable;
  positions: number[];
  /** Beginning with a space, or empty for all rows. Without the period. */
  named: Written;
  period: NamedPeriod | null;
  dates: DatedColumn | null;
  /** The names of the rows without words around them, if they are named by texts. */
  names: Written[];
  conditionCount: number;
}

interface Condition {
  holds: (row: readonly JsonValue[], position: number) => boolean;
  named: Written;
  /** Whether the words compare a column with a value, and do not name rows. */
  isComparison?: boolean;
  name: Written | null;
}

interface Wanted {
  run?: "now" | "before";
  rows?: readonly string[];
  period?: NamedPeriod | null;
}

/** The rows that a request selects, or those with another run, other rows or another period. */
export function select(request: Request, wanted: Wanted = {}): Selection {
  const run = wanted.run ?? request.run;
  const table = request.tableOf(run);
  const { context } = request;
  const dates = usesDates(request) || wanted.period ? readDates(table, request.find("dates")) : null;
  const text = request.find("period");
  const asked =
    dates && text !== undefined ? (findPeriod(text, dates, context.today) ?? unknownPeriod(text)) : null;
  let period = wanted.period === undefined ? asked : wanted.period;
  const conditions: Condition[] = [];
  const named = { table, run, context };
  for (const row of wanted.rows ?? request.all("row")) {
    const found = rowCondition(named, row, request);
    if (!("unit" in found)) conditions.push(found);
    // If the row is a period and another period is wanted for comparison, that one replaces it.
    else if (wanted.period === undefined || wanted.rows) period = found;
  }
  for (const attribute of request.conditions) conditions.push(conditionOf(named, attribute));
  const own = period ? (dates ?? readDates(table, request.find("dates"))) : dates;
  // Otherwise the condition would also apply to a period that this one is compared with.
  if (period && request.conditions.some(({ name }) => findColumnNamed(table, name) === own?.position))
    return refuse("It has a period and a condition on the same dates. Say only one of them.");
  const positions = [...table.rows.keys()].filter(
    (position) =>
      (period === null || isIn(own?.days[position] ?? null, period)) &&
      conditions.every(({ holds }) => holds(table.rows[position] ?? [], position)),
  );
  return {
    run,
    table,
    positions,
    named: joinConditions(conditions, context),
    period,
    dates: own,
    names: conditions.flatMap(({ name }) => name ?? []),
    conditionCount: conditions.length,
  };
}

/** " for "France" with orders above 50 and with revenue below 9" */
const joinConditions = (conditions: readonly Condition[], { wording }: StatementContext): Written =>
  concat(
    conditions.map(({ named, isComparison }, i) =>
      isComparison && conditions[i - 1]?.isComparison ? write` ${wording.and}${named}` : named,
    ),
  );

const usesDates = (request: Request): boolean =>
  request.find("period") !== undefined || request.find("dates") !== undefined;

export const unknownPeriod = (text: string): never =>
  refuse(
    `${JSON.stringify(text)} is no period. Write it like 2026-10, 2026-10-05, 2026-Q3 or 2026, or last.`,
  );

interface NamedTable {
  table: ResultTable;
  run: "now" | "before";
  context: StatementContext;
}

/** Selects a row by the text in one of its columns, or the period that its date means. */
function rowCondition(named: NamedTable, text: string, request: Request): Condition | NamedPeriod {
  const { table, context } = named;
  const columns = [...table.fields.keys()].filter((position) => {
    const field = fieldAt(table, position);
    return field.type !== "json" && field.type !== "binary" && !isMeasure(field);
  });
  const holding = columns.filter(
    (position) => isDated(table, position) || findCell(table, position, text) !== null,
  );
  const texts = holding.filter((position) => findCell(table, position, text) !== null);
  const [column, second] = texts;
  if (second !== undefined) {
    const others = texts.map((position) => fieldAt(table, position).name).join(", ");
    return refuse(
      `${JSON.stringify(text)} is in several columns: ${others}. Name one, as in ${JSON.stringify(fieldAt(table, second).name)}=…`,
    );
  }
  if (column !== undefined && !isDated(table, column)) {
    return conditionOf(named, { name: fieldAt(table, column).name, comparator: "=", value: text });
  }
  const isDate = holding.some((position) => isDated(table, position));
  const period = isDate
    ? findPeriod(text, readDates(table, request.find("dates")), context.today)
    : undefined;
  return period ?? refuse(`No row is called ${JSON.stringify(text)}.`);
}

/** The cell with this text: exactly, or else ignoring case and spaces around it. */
function findCell(table: ResultTable, position: number, text: string): JsonValue {
  const near = (cell: string) => cell.normalize("NFC").trim().toLowerCase();
  const wanted = near(text);
  let found: JsonValue = null;
  for (const row of table.rows) {
    const cell = row[position] ?? null;
    if (cell === null) continue;
    const own = asText(cell);
    if (own === text) return cell;
    if (found === null && near(own) === wanted) found = cell;
  }
  return found;
}

function conditionOf(named: NamedTable, { name, comparator, value }: Attribute): Condition {
  const { table, run, context } = named;
  const { wording } = context;
  const column = findColumnNamed(table, name);
  const field = fieldAt(table, column);
  const label = labelAt(table, column);
  if (field.type === "json" || field.type === "binary" || field.type === "time")
    return refuse(`Rows cannot be selected by ${label}.`);
  if (isDated(table, column)) return dateCondition(named, { name: field.name, comparator, value });
  const source = { run, column: field.name, rows: [] };
  if (isNumeric(field.type)) {
    const digits = value.replaceAll(",", "");
    const number = /^-?\d{1,15}(?:\.\d{1,9})?$/.test(digits) ? parseDecimal(digits) : null;
    if (!number) return refuse(`${JSON.stringify(value)} is no number that can be compared.`);
    const isPlain = !isMeasure(field);
    // Identifiers and years are written without groups.
    const written = writeExactly(
      toFraction(number),
      isPlain ? { ...wording.numbers, group: "" } : wording.numbers,
    );
    const order = orderTo(digits, field);
    const holds = (row: readonly JsonValue[]) => compares(order(row[column] ?? null), comparator);
    const of = valueFrom(written, source);
    return {
      holds,
      named: wording.withValue(label, comparator, of),
      isComparison: comparator !== "=",
      name: isPlain && comparator === "=" ? write`${label} ${of}` : null,
    };
  }
  if (comparator !== "=" && comparator !== "!=")
    return refuse(`${label} can only be equal to a text, or not.`);
  const cell = findCell(table, column, value);
  if (cell === null) return refuse(`No row has ${JSON.stringify(value)} in ${label}.`);
  const holds = (row: readonly JsonValue[]) =>
    comparator === "=" ? row[column] === cell : (row[column] ?? null) !== null && row[column] !== cell;
  if (typeof cell === "boolean") {
    const of = wording.trueOrFalse(cell);
    const name = comparator === "=" ? write`${label} ${of}` : null;
    return { holds, named: wording.withValue(label, comparator, of), name };
  }
  const quoted = valueFrom(quoteName(asText(cell)), source);
  if (comparator === "!=")
    return { holds, named: wording.withValue(label, comparator, quoted), isComparison: true, name: null };
  const rowName = withColumn(table, column, quoted);
  return { holds, named: wording.forName(rowName), name: rowName };
}

const compares = (sign: number | null, comparator: Comparator): boolean => {
  if (sign === null) return false;
  switch (comparator) {
    case "=":
      return sign === 0;
    case "!=":
      return sign !== 0;
    case "<":
      return sign < 0;
    case "<=":
      return sign <= 0;
    case ">":
      return sign > 0;
    case ">=":
      return sign >= 0;
  }
};

/** Rows by their date: in a period, or before or after a day. */
function dateCondition(
  { table, context: { wording, today } }: NamedTable,
  { name, comparator, value }: Attribute,
): Condition {
  const dates = readDates(table, name);
  const period = findPeriod(value, dates, today) ?? unknownPeriod(value);
  const days = dates.days.map((day) => (day ? toTime(day) : null));
  const label = writeLabel(name, table);
  if (comparator === "=") {
    const named = write`${wording.inPeriod(period.unit, period.start)}${periodSuffix(dates, period, { wording, today })}`;
    return { holds: (_, position) => isIn(dates.days[position] ?? null, period), named, name: null };
  }
  const start = toTime(period.start);
  const isDay = period.unit === "day" || period.unit === dates.unit;
  if (!isDay) return refuse("Compare dates with a day.");
  const holds = (_: unknown, position: number) => {
    const day = days[position] ?? null;
    return day !== null && compares(Math.sign(day - start), comparator);
  };
  return {
    holds,
    named: wording.withDate(label, comparator, write`${wording.period(period.unit, period.start)}`),
    isComparison: true,
    name: null,
  };
}

/** The name of a row, with its column where several columns hold texts. */
export function withColumn(table: ResultTable, column: number, name: Written): Written {
  const naming = [...table.fields.keys()].filter((position) => {
    const { type } = fieldAt(table, position);
    return (type === "string" || type === "boolean") && !isDated(table, position);
  });
  return naming.length > 1 ? write`${name} (${labelAt(table, column)})` : name;
}
