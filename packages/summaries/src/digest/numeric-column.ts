import { type ColumnFigures, columnFigures } from "./column-figures.ts";
import type { Tables } from "./digest-table.ts";
import { columnNamed, columnsWithRole, roleAt } from "./row-names.ts";

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
