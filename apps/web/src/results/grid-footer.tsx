import { isNumeric } from "@querybell/charts/chart-data";
import type { GridField } from "./cell-text.ts";
import { pinnedStyle } from "./grid-header.tsx";
import type { DrawnColumns } from "./pooled-row.ts";
import classes from "./result-grid.module.css";

interface GridFooterProps {
  fields: readonly GridField[];
  /** By column. */
  totals: readonly (string | undefined)[];
  columns: DrawnColumns;
  template: string;
  rowIndex: number;
}

/** The totals of the columns, below the rows. */
export function GridFooter({ fields, totals, columns, template, rowIndex }: GridFooterProps) {
  const { first, last, pinned } = columns;
  const cell = (column: number) => {
    const field = fields[column];
    if (!field) return null;
    const names = [
      classes.total,
      isNumeric(field.type) ? classes.numeric : "",
      column < pinned ? classes.pinnedHeading : "",
    ];
    return (
      <div
        key={column}
        role="gridcell"
        aria-colindex={column + 1}
        className={names.join(" ")}
        style={pinnedStyle(column, columns)}
      >
        {totals[column]}
      </div>
    );
  };
  return (
    <div
      role="row"
      aria-rowindex={rowIndex}
      className={classes.footer}
      style={{ gridTemplateColumns: template }}
    >
      <span aria-hidden className={classes.corner}>
        Σ
      </span>
      {Array.from({ length: pinned }, (_, column) => cell(column))}
      <span aria-hidden />
      {Array.from({ length: Math.max(0, last - first) }, (_, index) => cell(first + index))}
    </div>
  );
}
