import { type ComparedRow, type Comparison, comparisonLimits } from "@querybell/domain/comparisons";
import { cutText } from "@querybell/domain/text";
import { isNumeric } from "../checked-summaries/select-rows.ts";
import { add, type Decimal, negate, parseDecimal, toDecimalText, zero } from "../digest/decimals.ts";
import type { ComparedTables, Difference } from "./compare-tables.ts";
import type { MatchedColumn } from "./match-columns.ts";

const { columns: maxColumns, rows: maxRows, textCharacters: maxText } = comparisonLimits;
const maxDigits = 400;
/** Of the rows, as JSON: an answer of a host has a limit. */
const maxCharacters = 400_000;

/** What is said of a comparison: counts, columns and the first rows. */
export function describeComparison(compared: ComparedTables): Comparison {
  const { differences, unchanged, key } = compared;
  const counts = { added: 0, removed: 0, changed: 0 };
  for (const { change } of differences) counts[change]++;
  const changedCells = compared.columns.map(() => 0);
  for (const { changedColumns } of differences) {
    for (const column of changedColumns) changedCells[column] = (changedCells[column] ?? 0) + 1;
  }
  const rows = firstRows(compared);
  return {
    key: key.map(shorten),
    ...counts,
    unchanged,
    columns: compared.columns.slice(0, maxColumns).map((column, at) => ({
      name: shorten(column.field.name),
      type: column.field.type,
      state: stateOf(compared, column),
      changedCells: changedCells[at] ?? 0,
      sumChange: sumChange(compared, column),
    })),
    rows,
    hasMoreRows: rows.length < differences.length,
  };
}

function stateOf({ before }: ComparedTables, column: MatchedColumn): Comparison["columns"][number]["state"] {
  if (column.before === undefined) return "added";
  if (column.after === undefined) return "removed";
  return before.fields[column.before]?.type === column.field.type ? "same" : "other_type";
}

/** Rows that are the same cancel each other out. Null if a number is NaN or infinite. */
function sumChange({ before, after, differences }: ComparedTables, column: MatchedColumn): string | null {
  if (column.before === undefined || column.after === undefined || !isNumeric(column.field.type)) return null;
  let sum: Decimal = zero;
  for (const difference of differences) {
    const cells = [
      { table: before, row: difference.before, at: column.before, isMinus: true },
      { table: after, row: difference.after, at: column.after, isMinus: false },
    ];
    for (const { table, row, at, isMinus } of cells) {
      if (row === undefined) continue;
      const cell: unknown = JSON.parse(table.cellText(row, at));
      if (cell === null) continue;
      const value = typeof cell === "string" || typeof cell === "number" ? parseDecimal(cell) : null;
      if (!value) return null;
      sum = add(sum, isMinus ? negate(value) : value);
    }
  }
  const text = toDecimalText(sum);
  return text.length <= maxDigits ? text : null;
}

function firstRows(compared: ComparedTables): ComparedRow[] {
  const rows: ComparedRow[] = [];
  let left = maxCharacters;
  for (const difference of compared.differences.slice(0, maxRows)) {
    const row = toRow(compared, difference);
    left -= JSON.stringify(row).length;
    if (left < 0) break;
    rows.push(row);
  }
  return rows;
}

function toRow({ before, after, columns }: ComparedTables, difference: Difference): ComparedRow {
  const earlierCell = ({ before: at }: MatchedColumn) =>
    difference.before === undefined || at === undefined
      ? null
      : toShown(before.cellText(difference.before, at));
  const newerCell = ({ after: at }: MatchedColumn) =>
    difference.after === undefined || at === undefined ? null : toShown(after.cellText(difference.after, at));
  const shown = columns.slice(0, maxColumns);
  return {
    change: difference.change,
    cells: shown.map(difference.change === "removed" ? earlierCell : newerCell),
    before: difference.changedColumns.flatMap((column) => {
      const matched = shown[column];
      return matched ? [{ column, cell: earlierCell(matched) }] : [];
    }),
  };
}

/** Texts without quotation marks, everything else as its JSON. */
function toShown(json: string): string | null {
  if (json === "null") return null;
  const value: unknown = json.startsWith('"') ? JSON.parse(json) : json;
  return shorten(String(value));
}

const shorten = (text: string): string => (text.length > maxText ? `${cutText(text, maxText)}…` : text);
