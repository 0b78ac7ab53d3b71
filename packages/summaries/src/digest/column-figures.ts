import { add, compare, type Decimal, parseDecimal, zero } from "./decimals.ts";
import type { DigestTable } from "./digest-table.ts";

interface Extreme {
  value: Decimal;
  /** The first of the rows that hold it, and how many do. */
  row: number;
  holders: number;
}

/** What is to be said of one numeric column. */
export interface ColumnFigures {
  /** By row; null where there is no finite number. */
  values: readonly (Decimal | null)[];
  given: number;
  empty: number;
  notFinite: number;
  total: Decimal;
  highest: Extreme | null;
  lowest: Extreme | null;
}

export function columnFigures({ rows }: DigestTable, column: number): ColumnFigures {
  const values = rows.map((row) => parseDecimal(row[column]));
  const empty = rows.filter((row) => (row[column] ?? null) === null).length;
  let given = 0;
  let total = zero;
  let highest: Extreme | null = null;
  let lowest: Extreme | null = null;
  for (const [row, value] of values.entries()) {
    if (value === null) continue;
    given++;
    total = add(total, value);
    highest = further(highest, { value, row, holders: 1 }, 1);
    lowest = further(lowest, { value, row, holders: 1 }, -1);
  }
  return { values, given, empty, notFinite: rows.length - given - empty, total, highest, lowest };
}

function further(known: Extreme | null, found: Extreme, direction: 1 | -1): Extreme {
  if (known === null) return found;
  const order = compare(found.value, known.value);
  if (order === 0) return { ...known, holders: known.holders + 1 };
  return order === direction ? found : known;
}
