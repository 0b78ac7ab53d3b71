import type { JsonTable } from "./json-table.ts";
import type { CommonColumn } from "./match-columns.ts";
import { RowIndex } from "./row-index.ts";

/** Columns by which the rows of the newer result are found in the earlier one. */
export interface RowKey {
  columns: readonly CommonColumn[];
  /** Of the earlier result. */
  index: RowIndex;
}

interface Tables {
  before: JsonTable;
  after: JsonTable;
}

/** How many of the first columns are tried, alone and in pairs. */
const [maxAlone, maxInPairs] = [12, 6];
/** A key that finds this share of the rows again is taken without looking for a better one. */
const goodShare = 0.5;

/** The key that was chosen, or why it cannot be one. */
export function chooseKey(
  tables: Tables,
  common: readonly CommonColumn[],
  names: readonly string[],
): RowKey | { problem: string } {
  const columns: CommonColumn[] = [];
  for (const name of names) {
    const found = common.filter(({ field }) => field.name === name);
    const [column] = found;
    if (!column || found.length > 1) {
      const what = column ? "more than one column" : "no column";
      return {
        problem: `There is ${what} called ${JSON.stringify(name)} in both results. Choose another key.`,
      };
    }
    columns.push(column);
  }
  const index = tryKey(tables, columns);
  if (!("problem" in index)) return { columns, index };
  return index;
}

/** The columns whose values are different in every row of both results, and that find most rows again. */
export function findKey(tables: Tables, common: readonly CommonColumn[]): RowKey | undefined {
  const alone = common.slice(0, maxAlone).map((column) => [column]);
  const few = common.slice(0, maxInPairs);
  const pairs = few.flatMap((one, at) => few.slice(at + 1).map((other) => [one, other]));
  let best: (RowKey & { found: number }) | undefined;
  const wanted = goodShare * Math.min(tables.before.rowCount, tables.after.rowCount);
  for (const candidates of [alone, pairs]) {
    for (const columns of candidates) {
      // Computed numbers are rarely keys, and their values change.
      if (columns.some(({ field }) => field.type === "number" || field.type === "json")) continue;
      const index = tryKey(tables, columns);
      if ("problem" in index) continue;
      const found = countFound(tables.after, index, columns);
      if (found >= wanted) return { columns, index };
      if (!best || found > best.found) best = { columns, index, found };
    }
    if (best) return best;
  }
  return undefined;
}

function tryKey({ before, after }: Tables, columns: readonly CommonColumn[]): RowIndex | { problem: string } {
  const newer = columns.map((column) => column.after);
  const ofAfter = RowIndex.create(after, newer);
  if ("repeated" in ofAfter)
    return notUnique(after, { columns: newer, row: ofAfter.repeated, which: "newer" });
  const earlier = columns.map((column) => column.before);
  const ofBefore = RowIndex.create(before, earlier);
  if (!("repeated" in ofBefore)) return ofBefore;
  return notUnique(before, { columns: earlier, row: ofBefore.repeated, which: "earlier" });
}

const maxShown = 100;

function notUnique(
  table: JsonTable,
  { columns, row, which }: { columns: readonly number[]; row: number; which: "newer" | "earlier" },
): { problem: string } {
  const values = columns.map((column) => table.cellText(row, column).slice(0, maxShown)).join(", ");
  return {
    problem: `The key is not unique: more than one row of the ${which} result has ${values}. Choose other columns.`,
  };
}

function countFound(after: JsonTable, index: RowIndex, columns: readonly CommonColumn[]): number {
  const newer = columns.map((column) => column.after);
  let found = 0;
  for (let row = 0; row < after.rowCount; row++) if (index.find(after, row, newer) !== undefined) found++;
  return found;
}
