import { UnstyledButton } from "@mantine/core";
import { isNumeric } from "@querybell/charts/chart-data";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { isShortcut, shortcutText } from "../shortcuts/shortcuts.ts";
import { type GridField, titleOf } from "./cell-text.ts";
import { minColumnWidth } from "./column-widths.ts";
import type { DrawnColumns } from "./pooled-row.ts";
import classes from "./result-grid.module.css";
import type { SortAndFilter } from "./result-table.ts";

interface GridHeaderProps {
  fields: readonly GridField[];
  /** The width of the column of row numbers. */
  numberWidth: number;
  widths: readonly number[];
  columns: DrawnColumns;
  sort: SortAndFilter["sort"];
  onSort: (column: number) => void;
  /** Null: its usual width. While an edge is dragged, widths are not final. */
  onResize: (column: number, width: number | null, isFinal: boolean) => void;
  /** By column: below these widths something would be cut that must not be. */
  leastWidths: readonly number[];
}

/** The widths of a header or footer: row numbers, pinned columns, those that are not drawn, and the others. */
export function gridTemplate(numberWidth: number, widths: readonly number[], columns: DrawnColumns): string {
  const { first, last, offsets, pinned } = columns;
  const skipped = (offsets[first] ?? 0) - (offsets[pinned] ?? 0);
  return [numberWidth, ...widths.slice(0, pinned), skipped, ...widths.slice(first, last)]
    .map((width) => `${width}px`)
    .join(" ");
}

/** Where a pinned column stays. */
export const pinnedStyle = (column: number, { offsets, pinned }: DrawnColumns) =>
  column < pinned ? { left: `calc(var(--number-width) + ${offsets[column] ?? 0}px)` } : undefined;

/** The columns' names: a click sorts, the right edge or the keyboard changes the width. */
export function GridHeader({ fields, numberWidth, columns, ...rest }: GridHeaderProps) {
  const { first, last, pinned } = columns;
  const gridTemplateColumns = gridTemplate(numberWidth, rest.widths, columns);
  const cell = (column: number) => {
    const field = fields[column];
    return field && <HeaderCell key={column} field={field} column={column} columns={columns} {...rest} />;
  };
  return (
    <div role="row" aria-rowindex={1} className={classes.header} style={{ gridTemplateColumns }}>
      <span aria-hidden className={classes.corner}>
        #
      </span>
      {Array.from({ length: pinned }, (_, column) => cell(column))}
      <span aria-hidden />
      {Array.from({ length: Math.max(0, last - first) }, (_, index) => cell(first + index))}
    </div>
  );
}

interface HeaderCellProps
  extends Pick<GridHeaderProps, "widths" | "columns" | "sort" | "onSort" | "onResize" | "leastWidths"> {
  field: GridField;
  column: number;
}

function HeaderCell({
  field,
  column,
  columns,
  widths,
  leastWidths,
  sort,
  onSort,
  onResize,
}: HeaderCellProps) {
  const sorted = sort?.column === column ? (sort.descending ? "descending" : "ascending") : undefined;
  const Mark = sorted === "descending" ? IconArrowDown : IconArrowUp;
  const width = widths[column] ?? minColumnWidth;
  const resize = (next: number, isFinal: boolean) =>
    onResize(column, Math.max(leastWidths[column] ?? minColumnWidth, Math.round(next)), isFinal);
  const resetWidth = () => onResize(column, null, true);
  return (
    <div
      role="columnheader"
      aria-colindex={column + 1}
      aria-sort={sorted ?? "none"}
      className={[
        classes.heading,
        isNumeric(field.type) ? classes.numeric : "",
        column < columns.pinned ? classes.pinnedHeading : "",
      ].join(" ")}
      style={pinnedStyle(column, columns)}
    >
      <UnstyledButton
        className={classes.sort}
        title={`${field.name} · ${field.type}\n${shortcutText("narrowColumn")} and ${shortcutText("widenColumn")} change the width, ${shortcutText("resetColumn")} resets it`}
        aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight Shift+Home"
        onClick={() => onSort(column)}
        onKeyDown={(event) => {
          if (isShortcut(event, "narrowColumn")) resize(width - 16, true);
          if (isShortcut(event, "widenColumn")) resize(width + 16, true);
          if (isShortcut(event, "resetColumn")) resetWidth();
        }}
      >
        <span className={classes.title}>{titleOf(field)}</span>
        {sorted && <Mark size={14} aria-hidden />}
      </UnstyledButton>
      <ResizeHandle width={width} onResize={resize} onReset={resetWidth} />
    </div>
  );
}

interface ResizeHandleProps {
  width: number;
  onResize: (width: number, isFinal: boolean) => void;
  onReset: () => void;
}

/** The right edge of a heading, for the pointer only. A double click resets the width. */
const ResizeHandle = ({ width, onResize, onReset }: ResizeHandleProps) => (
  <div
    aria-hidden
    className={classes.handle}
    onPointerDown={(event) => {
      event.preventDefault();
      const start = event.clientX - width;
      const handle = event.currentTarget;
      handle.setPointerCapture(event.pointerId);
      let isMoved = false;
      const move = (moved: PointerEvent) => {
        isMoved = true;
        onResize(moved.clientX - start, false);
      };
      handle.addEventListener("pointermove", move);
      const end = (last: PointerEvent) => {
        handle.removeEventListener("pointermove", move);
        if (isMoved) onResize(last.clientX - start, true);
      };
      handle.addEventListener("pointerup", end, { once: true });
    }}
    onDoubleClick={(event) => {
      event.stopPropagation();
      onReset();
    }}
  />
);
