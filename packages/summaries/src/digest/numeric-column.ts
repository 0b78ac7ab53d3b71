import type { ResultTable, Tables } from "../stored-results/result-table.ts";
import { columnNamed, columnsWithRole, roleAt } from "./column-roles.ts";
import { add, compareDecimals, type Decimal, parseDecimal, zero } from "./decimals.ts";

// More would not fit into a digest, and reading a column of a large result takes time.
const maxColumns = 8;

/** A numeric column, and its previous figures if they can be compared. */
export interface NumericColumn {
  position: number;
  field: string;
  isAmount: boolean;
  now: ColumnFigures;
  before: ColumnFigures | null;
}

/** The numeric columns, those whose totals mean something first. */
export function readColumns({ now, before }: Tables): NumericColumn[] {
  const positions = [...columnsWithRole(now, "amount"), ...columnsWithRole(now, "level")];
  return positions.slice(0, maxColumns).flatMap((position): NumericColumn[] => {
    const field = now.fields[position];
    // A slot names a column by its name.
    if (!field || columnNamed(now, field.name) === null) return [];
    const role = roleAt(now, position);
    const earlier = before ? columnNamed(before, field.name) : null;
    const isComparable = before && earlier !== null && roleAt(before, earlier) === role;
    return [
      {
        position,
        field: field.name,
        isAmount: role === "amount",
        now: columnFigures(now, position),
        before: isComparable ? columnFigures(before, earlier) : null,
      },
    ];
  });
}

interface Extreme {
  value: Decimal;
  /** The first of the rows that hold it, and how many do. */
  row: number;
  holders: number;
}

/** The figures of one numeric column. */
interface ColumnFigures {
  /** By row; null where there is no finite number. */
  values: readonly (Decimal | null)[];
  given: number;
  empty: number;
  notFinite: number;
  total: Decimal;
  highest: Extreme | null;
  lowest: Extreme | null;
}

export function columnFigures({ rows }: ResultTable, column: number): ColumnFigures {
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
  const order = compareDecimals(found.value, known.value);
  if (order === 0) return { ...known, holders: known.holders + 1 };
  return order === direction ? found : known;
}
