import type { Field } from "@querybell/domain";
import { parseDecimal } from "../../digest/decimals.ts";
import type { Measure } from "../../stored-results/operations.ts";
import {
  absolute,
  divide,
  type Fraction,
  multiply,
  signOf,
  subtract,
  toFraction,
  unitsAt,
} from "../fraction.ts";
import { computeMeasure } from "../measure.ts";
import { quoteName } from "../safe-name.ts";
import { asText, firstOf, isNumeric } from "../select-rows.ts";
import { byWord, refuse } from "../slot.ts";
import type { Direction, FigureOperation } from "../wording/wording.ts";
import { writeExactly, writeNumber, writePercent } from "../write-number.ts";
import { type Source, valueFrom, type Written, write } from "../written.ts";
import {
  fieldAt,
  findColumnNamed,
  isAmount,
  isMeasure,
  isPercentColumn,
  isPlainNumber,
  isSummable,
} from "./columns.ts";
import { instantOf, isDated, readDates } from "./dates.ts";
import { findPeriod } from "./parse-period.ts";
import type { Request, StatementContext } from "./request.ts";
import type { Selection } from "./selection.ts";

const measures: Record<FigureOperation, Measure["operation"]> = {
  value: "value",
  total: "sum",
  average: "average",
  smallest: "minimum",
  largest: "maximum",
};

/** A number of a column, with its source. */
export interface Amount {
  value: Fraction;
  field: Field;
  source: Source;
}

const maxShownRows = 100;

export const sourceOf = ({ run, positions }: Selection, column: string | null): Source => ({
  run,
  column,
  rows: positions.slice(0, maxShownRows).map((position) => position + 1),
});

/** Computes a number over the selected rows. */
export function amountOf(selection: Selection, column: number, operation: FigureOperation): Amount {
  const { table, positions } = selection;
  const field = fieldAt(table, column);
  if (!isNumeric(field.type)) return refuse(`The column ${JSON.stringify(field.name)} holds no numbers.`);
  if (table.cut && operation !== "value") return refuse(cutReason);
  if (operation === "total" && !isSummable(field))
    return refuse(`Numbers such as ${JSON.stringify(field.name)} have no total.`);
  if (operation === "value" && positions.length > 1) {
    return refuse("Several rows are selected. Name one row, or use total, average, smallest or largest.");
  }
  const source = sourceOf(selection, field.name);
  const [position] = positions;
  if (positions.length === 1 && position !== undefined) {
    // Of a single row, every operation gives its value. Rankings have thousands of them.
    const value = parseDecimal(table.rows[position]?.[column]);
    if (value) return { value: toFraction(value), field, source };
  }
  const only = {
    ...table,
    fields: [field],
    rows: positions.map((position) => [table.rows[position]?.[column] ?? null]),
  };
  const all = [...positions.keys()];
  const computed = computeMeasure(only, all, { column: field.name, operation: measures[operation] });
  if (computed.kind === "problem") return refuse(computed.reason);
  if (computed.kind === "text") return refuse("It is no number.");
  return { value: computed.value, field, source };
}

export const cutReason = "A limit cut the result, so nothing can be said of all its rows.";

/** The requested operation. Default: the value of one row, or the total of several. */
export function operationFor(
  request: Request,
  field: Field,
  selections: readonly Selection[],
): FigureOperation {
  const asked = request.find("op");
  if (asked !== undefined) {
    const found = operationsByWord.get(asked.toLowerCase());
    return (
      found ?? refuse(`op is value, total, average, smallest or largest, and not ${JSON.stringify(asked)}.`)
    );
  }
  if (selections.every(({ positions }) => positions.length <= 1)) return "value";
  if (isAmount(field)) return "total";
  return refuse(
    "Several rows are selected, and their total means nothing. Say op=average, smallest or largest.",
  );
}

const operationsByWord = byWord<FigureOperation>([
  ["value", "value"],
  ["total", "total sum"],
  ["average", "average mean avg"],
  ["smallest", "smallest minimum min lowest"],
  ["largest", "largest maximum max highest"],
]);

export function writeAmount(
  { value, field, source }: Amount,
  { wording, numbers }: StatementContext,
): Written {
  const format = isMeasure(field) ? wording.numbers : { ...wording.numbers, group: "" };
  const text = writeNumber(value, format, numbers);
  return valueFrom(isPercentColumn(field) && !text.includes("^") ? wording.percent(text) : text, source);
}

/** Writes two amounts so that a reader can distinguish them, unless they are equal. */
export function writePair(one: Amount, other: Amount, context: StatementContext): [Written, Written] {
  const [first, second] = [writeAmount(one, context), writeAmount(other, context)];
  if (first.text !== second.text || signOf(subtract(one.value, other.value)) === 0) return [first, second];
  const exactly = ({ value, source }: Amount) =>
    valueFrom(writeExactly(value, context.wording.numbers), source);
  return [exactly(one), exactly(other)];
}

interface Difference {
  direction: Direction;
  /** "4%", "200", "1.1 points"; empty if nothing changed. */
  size: Written;
  percent: Written | null;
  isSlight: boolean;
}

const maxPercent = 1000n;

/** The difference of two numbers: in percent if that is meaningful, and in their own unit. */
export function differenceOf(now: Amount, before: Amount, context: StatementContext): Difference {
  const difference = subtract(now.value, before.value);
  const sign = signOf(difference);
  if (sign === 0) return { direction: "same", size: write``, percent: null, isSlight: false };
  const { wording, numbers } = context;
  const sources = [now.source, before.source];
  const number = writeNumber(absolute(difference), wording.numbers, numbers);
  const isPoints = isPercentColumn(now.field) && isPercentColumn(before.field);
  const size = valueFrom(isPoints ? wording.points(number) : number, ...sources);
  const share = percentOf(now, before);
  const percent =
    share && valueFrom(wording.percent(writePercent(share, wording.numbers, numbers)), ...sources);
  const isSlight = writeAmount(now, context).text === writeAmount(before, context).text && percent === null;
  return { direction: sign > 0 ? "up" : "down", size, percent, isSlight };
}

/** Null if a change in percent is undefined, not informative or misleading, as between losses or rates. */
function percentOf(now: Amount, before: Amount): Fraction | null {
  if (!isPlainNumber(now.field) || !isPlainNumber(before.field)) return null;
  if (signOf(now.value) < 0 || signOf(before.value) <= 0) return null;
  const share = divide(multiply(subtract(now.value, before.value), 100n), before.value);
  if (!share) return null;
  const tenths = unitsAt(absolute(share), 1);
  return tenths === 0n || tenths >= maxPercent * 10n ? null : share;
}

/** "62.5%", of a whole that is not negative anywhere. */
export function percentOfWhole(part: Amount, whole: Amount, { wording, numbers }: StatementContext): Written {
  const share = divide(multiply(part.value, 100n), whole.value) ?? refuse("The total is zero.");
  // A share that is not zero must not be written as zero.
  const isTiny = unitsAt(share, 1) === 0n;
  const write = isTiny ? writeNumber : writePercent;
  return valueFrom(wording.percent(write(share, wording.numbers, numbers)), part.source, whole.source);
}

/** The text, date or boolean of a cell that is not a number. */
export function textOf(
  selection: Selection,
  column: number,
  operation: FigureOperation,
  context: StatementContext,
): Written {
  const { table, positions } = selection;
  const field = fieldAt(table, column);
  if (operation === "total" || operation === "average") return refuse("This column holds no numbers.");
  if (operation === "value" && positions.length > 1)
    return refuse("Several rows are selected. Name one row.");
  const isDate = isDated(table, column);
  if (operation !== "value" && !isDate) return refuse("Texts have no smallest or largest.");
  if (table.cut && operation !== "value") return refuse(cutReason);
  const source = sourceOf(selection, field.name);
  if (isDate && operation !== "value") {
    const cell = extremeDate(selection, column, operation === "smallest");
    return valueFrom(writeDate(selection, column, cell, context), source);
  }
  const computed = computeMeasure(table, positions, { column: field.name, operation: measures[operation] });
  if (computed.kind === "problem") return refuse(computed.reason);
  if (computed.kind === "number") return refuse("It is a number.");
  if (isDate) return valueFrom(writeDate(selection, column, computed.text, context), source);
  if (field.type === "boolean")
    return valueFrom(context.wording.trueOrFalse(computed.text === "true"), source);
  return valueFrom(quoteName(computed.text, "The text"), source);
}

/** The cell with the earliest or the latest time, whatever offsets the cells have. */
function extremeDate({ table, positions }: Selection, column: number, isEarliest: boolean): string {
  const order = isEarliest ? 1 : -1;
  const [first] = firstOf(
    positions.flatMap((position) => table.rows[position]?.[column] ?? []).map(asText),
    1,
    (one, other) => order * (instantOf(one) - instantOf(other) || (one < other ? -1 : one > other ? 1 : 0)),
  );
  return first ?? refuse("The column is empty in these rows.");
}

function writeDate(
  { table }: Selection,
  column: number,
  cell: string,
  { wording, today }: StatementContext,
): string {
  const dates = readDates(table, fieldAt(table, column).name);
  // A time of the day is written as it is.
  if (/\d:\d/.test(cell) && !/[T ][0:.]+(?:Z|\+00:00)?$/.test(cell)) return quoteName(cell, "The time");
  const period = findPeriod(cell.slice(0, 10), dates, today);
  return period ? wording.period(period.unit, period.start) : quoteName(cell, "The date");
}

export const columnIn = (selection: Selection, name: string): number =>
  findColumnNamed(selection.table, name);
