import type { Field } from "@querybell/domain";
import { memo } from "react";
import { cellText, isNumeric } from "./cell-text.ts";
import classes from "./result-grid.module.css";

interface GridRowProps {
  gridId: string;
  index: number;
  /** Undefined while it is on its way. */
  row: readonly unknown[] | undefined;
  fields: readonly Field[];
  /** The columns that are drawn, and their widths as the style writes them. */
  firstColumn: number;
  lastColumn: number;
  template: string;
  top: number;
  /** The selected columns in this row; -1 for none. */
  selectedFrom: number;
  selectedTo: number;
  activeColumn: number;
}

/**
 * One row of the grid. Rows that are not on the screen do not exist, which a table cannot say: hence the roles.
 * It is drawn again only when something in it has changed.
 */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { gridId, index, row, fields, firstColumn, lastColumn, template, top } = props;
  const cells = [];
  for (let column = firstColumn; column < lastColumn; column++) {
    const field = fields[column];
    if (!field) continue;
    const value = row?.[column];
    const isSelected = column >= props.selectedFrom && column <= props.selectedTo;
    const isActive = column === props.activeColumn;
    const className = [
      classes.cell,
      isNumeric(field.type) && classes.numeric,
      row && value === null && classes.null,
      isSelected && classes.selected,
      isActive && classes.active,
    ];
    cells.push(
      <div
        key={column}
        role="gridcell"
        id={`${gridId}-${index}-${column}`}
        aria-colindex={column + 2}
        aria-selected={isSelected}
        data-column={column}
        className={className.filter(Boolean).join(" ")}
      >
        {row && (value === null || value === undefined ? "NULL" : cellText(value, field.type))}
      </div>,
    );
  }
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      className={index % 2 === 0 ? classes.row : `${classes.row} ${classes.odd}`}
      style={{ gridTemplateColumns: template, transform: `translateY(${top}px)` }}
    >
      <div role="rowheader" aria-colindex={1} className={classes.number}>
        {index + 1}
      </div>
      <span aria-hidden />
      {cells}
    </div>
  );
});
