import type { JsonValue } from "@querybell/domain/results";
import { cutText } from "@querybell/domain/text";
import { asText, findColumn, selectRows } from "../checked-summaries/select-rows.ts";
import { type RowSplit, type SplitRows, splitLimits } from "./operations.ts";
import type { ResultTable } from "./result-table.ts";

const {
  columns: maxColumns,
  nameCharacters,
  valueCharacters,
  problemCharacters,
  groupBytes,
  allBytes,
} = splitLimits;

/**
 * The rows of each value of a column, in their order: what each of many people gets. `addedColumns` are those of the table that the
 * chart does not have.
 */
export function splitRows(
  table: ResultTable,
  { column: name, where, isAddress, maxGroups }: RowSplit,
  addedColumns = 0,
): SplitRows {
  const { fields, rows } = table;
  const problem = problemOf(table, addedColumns);
  if (problem !== undefined) return { problem };
  const column = findColumn(table, name);
  if (typeof column === "object") return shortened(column);
  const selection = selectRows(table, { where });
  if ("problem" in selection) return shortened(selection);
  const groups = new Map<string, number[]>();
  let emptyCount = 0;
  for (const position of selection.positions) {
    const value = toGroupValue(rows[position]?.[column] ?? null, isAddress);
    if (value === "") {
      emptyCount++;
      continue;
    }
    const group = groups.get(value);
    if (group) group.push(position);
    else groups.set(value, [position]);
  }
  const columns = fields.map((field) => field.name);
  const chosen = [...groups].slice(0, maxGroups).map(([value, positions]) => ({
    value: value.length > valueCharacters ? `${cutText(value, valueCharacters)}…` : value,
    rows: positions.map((position) => rows[position] ?? []),
  }));
  const fitted = fitRows(chosen, Buffer.byteLength(JSON.stringify(columns)));
  if ("problem" in fitted) return fitted;
  return {
    columns,
    groups: chosen.map(({ value, rows: own }, index) => ({
      value,
      rowCount: own.length,
      rows: `[${own.slice(0, fitted.counts[index]).map(writeRow).join(",")}]`,
    })),
    groupCount: groups.size,
    emptyCount,
  };
}

function problemOf({ fields, cut }: ResultTable, addedColumns: number): string | undefined {
  if (cut) return "A limit truncated the result, so somebody might get only some of their rows.";
  const columnCount = fields.length - addedColumns;
  if (columnCount > maxColumns) {
    return `The chart has ${columnCount} columns. A message has at most ${maxColumns}.`;
  }
  const hasLongName = fields.some((field) => field.name.length > nameCharacters);
  return hasLongName ? "The name of a column is too long for a message. Give it a shorter one." : undefined;
}

const shortened = ({ problem }: { problem: string }) => ({ problem: cutText(problem, problemCharacters) });

/** Addresses that differ only in case or in spaces around them are the same. */
function toGroupValue(cell: JsonValue, isAddress: boolean): string {
  if (cell === null) return "";
  const text = asText(cell);
  return isAddress ? text.trim().toLowerCase() : text;
}

type Row = readonly JsonValue[];

/**
 * How many rows of each group fit. If all together do not, the largest groups have fewer. Each has at least its first row. The
 * columns are in the message of each group.
 */
function fitRows(
  groups: readonly { rows: readonly Row[] }[],
  columnBytes: number,
): { counts: number[] } | { problem: string } {
  const measured = groups.map(({ rows }) => measureRows(rows, columnBytes));
  if (measured.some((sizes) => sizes.length === 0)) {
    return {
      problem: `A row is too large: a message has at most ${groupBytes / 1_000} KB. Let the query return shorter texts, or fewer columns.`,
    };
  }
  const fittingIn = (sizes: readonly number[], limit: number): number =>
    Math.max(
      1,
      findLargest(sizes.length, (count) => (sizes[count - 1] ?? 0) <= limit),
    );
  const areFitting = (limit: number): boolean => {
    const total = measured.reduce((sum, sizes) => sum + (sizes[fittingIn(sizes, limit) - 1] ?? 0), 0);
    return total <= allBytes;
  };
  if (!areFitting(0)) {
    return {
      problem: `The messages are too large: all of a run have at most ${allBytes / 1_000_000} MB. Let the query return shorter texts, or fewer columns.`,
    };
  }
  const limit = findLargest(groupBytes, areFitting);
  return { counts: measured.map((sizes) => fittingIn(sizes, limit)) };
}

/** The size of a group with one row, with two, and so on, as far as they fit into a message. */
function measureRows(rows: readonly Row[], columnBytes: number): number[] {
  const sizes: number[] = [];
  let size = columnBytes;
  for (const row of rows) {
    // As it is sent: JSON in JSON.
    size += Buffer.byteLength(JSON.stringify(writeRow(row)));
    if (size > groupBytes) break;
    sizes.push(size);
  }
  return sizes;
}

/** The largest whole number up to `most` that is allowed. 0 is. */
function findLargest(most: number, isAllowed: (number: number) => boolean): number {
  if (isAllowed(most)) return most;
  let [allowed, refused] = [0, most];
  while (refused - allowed > 1) {
    const middle = Math.floor((allowed + refused) / 2);
    if (isAllowed(middle)) allowed = middle;
    else refused = middle;
  }
  return allowed;
}

/** A list of cells, exactly as a download has them. */
const writeRow = (row: Row): string =>
  JSON.stringify(row.map((cell) => (cell === null ? null : asText(cell))));
