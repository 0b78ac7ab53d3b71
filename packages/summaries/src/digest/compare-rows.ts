import type { ResultTable } from "../stored-results/result-table.ts";
import { areUnique, columnNamed, columnsWithRole, keyOf, namingColumns } from "./column-roles.ts";

/** The rows of two results, paired. */
export interface RowComparison {
  /** The columns of the result by which the rows were paired. */
  key: readonly number[];
  /** The same columns in the result of the last run. */
  keyBefore: readonly number[];
  /** Rows of both, by their positions. */
  pairs: RowPair[];
  added: number[];
  gone: number[];
  /** Pairs with a changed cell; null if the columns are not the same. */
  changed: RowPair[] | null;
}

export interface RowPair {
  now: number;
  before: number;
}

const namesOf = ({ fields }: ResultTable) => fields.map(({ name }) => name);

export const haveSameFields = (one: ResultTable, other: ResultTable): boolean =>
  JSON.stringify(one.fields) === JSON.stringify(other.fields);

/** Whether two results have the same rows, in whatever order. */
export function haveSameRows(one: ResultTable, other: ResultTable): boolean {
  if (one.rows.length !== other.rows.length) return false;
  if (!haveSameFields(one, other)) return false;
  const sorted = ({ rows }: ResultTable) => rows.map((row) => JSON.stringify(row)).sort();
  const others = sorted(other);
  return sorted(one).every((row, i) => row === others[i]);
}

/**
 * Pairs the rows by a unique identifier, or else by the fewest leading columns that identify them, because a later
 * column, such as a status, may change. Null if no columns identify the rows.
 */
export function compareRows(result: ResultTable, previous: ResultTable): RowComparison | null {
  const known = comparisons.get(result)?.get(previous);
  if (known !== undefined) return known;
  const comparison = pairRows(result, previous);
  const ofResult = comparisons.get(result) ?? new WeakMap<ResultTable, RowComparison | null>();
  comparisons.set(result, ofResult.set(previous, comparison));
  return comparison;
}

/** Several statements about two results need the same pairs, and pairing large results takes seconds. */
const comparisons = new WeakMap<ResultTable, WeakMap<ResultTable, RowComparison | null>>();

function pairRows(result: ResultTable, previous: ResultTable): RowComparison | null {
  const naming = namingColumns(result);
  const leading = naming.map((_, last) => naming.slice(0, last + 1));
  for (const columns of [...columnsWithRole(result, "identifier").map((column) => [column]), ...leading]) {
    const before = columns.map((column) => columnNamed(previous, namesOf(result)[column] ?? ""));
    const known = before.filter((column) => column !== null);
    if (known.length < columns.length || !areUnique(result, columns) || !areUnique(previous, known)) continue;
    return pairUp({ table: result, columns }, { table: previous, columns: known });
  }
  return null;
}

interface Keyed {
  table: ResultTable;
  columns: readonly number[];
}

function pairUp(result: Keyed, previous: Keyed): RowComparison {
  const left = new Map(previous.table.rows.map((row, i) => [keyOf(row, previous.columns), i]));
  const pairs: RowPair[] = [];
  const added: number[] = [];
  for (const [now, row] of result.table.rows.entries()) {
    const key = keyOf(row, result.columns);
    const before = left.get(key);
    if (before === undefined) added.push(now);
    else pairs.push({ now, before });
    left.delete(key);
  }
  const differ = ({ now, before }: RowPair) =>
    JSON.stringify(result.table.rows[now]) !== JSON.stringify(previous.table.rows[before]);
  const changed = haveSameFields(result.table, previous.table) ? pairs.filter(differ) : null;
  return {
    key: result.columns,
    keyBefore: previous.columns,
    pairs,
    added,
    gone: [...left.values()],
    changed,
  };
}
