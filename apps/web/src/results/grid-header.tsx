import { isNumeric } from "@querybell/charts/chart-data";
import { UnstyledButton } from "@mantine/core";
import type { Field } from "@querybell/domain";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { isShortcut, shortcutText } from "../shortcuts/shortcuts.ts";
import { minColumnWidth } from "./column-widths.ts";
import type { DrawnColumns } from "./pooled-row.ts";
import classes from "./result-grid.module.css";
import type { SortAndFilter } from "./result-table.ts";

interface GridHeaderProps {
  fields: readonly Field[];
  /** The width of the column of row numbers. */
  numberWidth: number;
  widths: readonly number[];
  columns: DrawnColumns;
  sort: SortAndFilter["sort"];
  onSort: (column: number) => void;
  onResize: (column: number, width: number) => void;
}

/** The columns' names: a click sorts, the right edge or the keyboard changes the width. */
export function GridHeader({ fields, numberWidth, columns, ...rest }: GridHeaderProps) {
  const { first, last, offsets } = columns;
  const widths = [numberWidth, offsets[first] ?? 0, ...rest.widths.slice(first, last)];
  const gridTemplateColumns = widths.map((width) => `${width}px`).join(" ");
  return (
    <div role="row" aria-rowindex={1} className={classes.header} style={{ gridTemplateColumns }}>
      <span aria-hidden className={classes.corner}>
        #
      </span>
      <span aria-hidden />
      {fields.slice(first, last).map((field, index) => (
        <HeaderCell key={first + index} field={field} column={first + index} {...rest} />
      ))}
    </div>
  );
}

interface HeaderCellProps extends Pick<GridHeaderProps, "widths" | "sort" | "onSort" | "onResize"> {
  field: Field;
  column: number;
}

function HeaderCell({ field, column, widths, sort, onSort, onResize }: HeaderCellProps) {
  const sorted = sort?.column === column ? (sort.descending ? "descending" : "ascending") : undefined;
  const Mark = sorted === "descending" ? IconArrowDown : IconArrowUp;
  const width = widths[column] ?? minColumnWidth;
  const resize = (next: number) => onResize(column, Math.max(minColumnWidth, Math.round(next)));
  return (
    <div
      role="columnheader"
      aria-colindex={column + 1}
      aria-sort={sorted ?? "none"}
      className={isNumeric(field.type) ? `${classes.heading} ${classes.numeric}` : classes.heading}
    >
      <UnstyledButton
        className={classes.sort}
        title={`${field.name} · ${field.type}\n${shortcutText("narrowColumn")} and ${shortcutText("widenColumn")} change the width`}
        aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
        onClick={() => onSort(column)}
        onKeyDown={(event) => {
          if (isShortcut(event, "narrowColumn")) resize(width - 16);
          if (isShortcut(event, "widenColumn")) resize(width + 16);
        }}
      >
        <span className={classes.title}>{field.name}</span>
        {sorted && <Mark size={14} aria-hidden />}
      </UnstyledButton>
      <ResizeHandle width={width} onResize={resize} />
    </div>
  );
}

interface ResizeHandleProps {
  width: number;
  onResize: (width: number) => void;
}

/** The right edge of a heading, for the pointer only. */
const ResizeHandle = ({ width, onResize }: ResizeHandleProps) => (
  <div
    aria-hidden
    className={classes.handle}
    onPointerDown={(event) => {
      event.preventDefault();
      const start = event.clientX - width;
      const handle = event.currentTarget;
      handle.setPointerCapture(event.pointerId);
      const move = (moved: PointerEvent) => onResize(moved.clientX - start);
      handle.addEventListener("pointermove", move);
      handle.addEventListener("pointerup", () => handle.removeEventListener("pointermove", move), {
        once: true,
      });
    }}
  />
);
