import type { Comparison } from "@querybell/domain/comparisons";
import { chooseKey, findKey, type RowKey } from "./find-key.ts";
import type { JsonTable } from "./json-table.ts";
import { type CommonColumn, commonColumns, type MatchedColumn, matchColumns } from "./match-columns.ts";
import { isSameCell } from "./row-index.ts";

type RowChange = Comparison["rows"][number]["change"];

/** One row that differs. `before` and `after` are rows of the results. */
export interface Difference {
  change: RowChange;
  before: number | undefined;
  after: number | undefined;
  /** The columns with other cells, by their place among all columns. */
  changedColumns: readonly number[];
}

export interface ComparedTables {
  before: JsonTable;
  after: JsonTable;
  columns: readonly MatchedColumn[];
  /** The names of the key's columns. */
  key: string[];
  unchanged: number;
  /** Added and changed rows in the order of the newer result, then removed ones in that of the earlier one. */
  differences: Difference[];
}

/** Compares an earlier result with a newer one. Problem: why the chosen key cannot be one. */
export function compareTables(
  { before, after }: { before: JsonTable; after: JsonTable },
  chosenKey: readonly string[] | null,
): ComparedTables | { problem: string } {
  const columns = matchColumns(before.fields, after.fields);
  const common = commonColumns(columns);
  const key = chosenKey
    ? chooseKey({ before, after }, common, chosenKey)
    : findKey({ before, after }, common);
  if (key && "problem" in key) return key;
  const compared = { before, after, columns };
  if (key)
    return { ...compared, key: key.columns.map(({ field }) => field.name), ...compareByKey(compared, key) };
  return { ...compared, key: [], ...compareWhole(compared, common) };
}

type Compared = Pick<ComparedTables, "before" | "after" | "columns">;
type Found = Pick<ComparedTables, "differences" | "unchanged">;

function compareByKey({ before, after, columns }: Compared, { columns: keys, index }: RowKey): Found {
  const differences: Difference[] = [];
  const found = new Uint8Array(before.rowCount);
  const newer = keys.map((column) => column.after);
  const compared = columns.flatMap((column, at) =>
    column.before === undefined || column.after === undefined
      ? []
      : [{ at, before: column.before, after: column.after }],
  );
  let unchanged = 0;
  for (let row = 0; row < after.rowCount; row++) {
    const earlier = index.find(after, row, newer);
    if (earlier === undefined) {
      differences.push({ change: "added", before: undefined, after: row, changedColumns: [] });
      continue;
    }
    found[earlier] = 1;
    const changedColumns: number[] = [];
    for (const column of compared) {
      const one = { table: before, row: earlier, column: column.before };
      if (!isSameCell(one, { table: after, row, column: column.after })) changedColumns.push(column.at);
    }
    if (changedColumns.length === 0) unchanged++;
    else differences.push({ change: "changed", before: earlier, after: row, changedColumns });
  }
  for (let row = 0; row < before.rowCount; row++) {
    if (found[row] === 0)
      differences.push({ change: "removed", before: row, after: undefined, changedColumns: [] });
  }
  return { differences, unchanged };
}

/** Without a key: rows are equal if all cells of common columns are, as often as they occur. */
function compareWhole({ before, after }: Compared, common: readonly CommonColumn[]): Found {
  const textOf = (table: JsonTable, row: number, side: "before" | "after") =>
    common.map((column) => table.cellText(row, column[side])).join(",");
  const left = new Map<string, number[]>();
  for (let row = before.rowCount - 1; row >= 0; row--) {
    const text = textOf(before, row, "before");
    const rows = left.get(text);
    if (rows) rows.push(row);
    else left.set(text, [row]);
  }
  const differences: Difference[] = [];
  let unchanged = 0;
  for (let row = 0; row < after.rowCount; row++) {
    if (left.get(textOf(after, row, "after"))?.pop() !== undefined) unchanged++;
    else differences.push({ change: "added", before: undefined, after: row, changedColumns: [] });
  }
  const removed = [...left.values()].flat().toSorted((one, other) => one - other);
  for (const row of removed) {
    differences.push({ change: "removed", before: row, after: undefined, changedColumns: [] });
  }
  return { differences, unchanged };
}
