import { notifications } from "@mantine/notifications";
import { toPlainText } from "@querybell/charts/formats";
import { linkOf } from "@querybell/charts/tables";
import type { Field } from "@querybell/domain";
import {
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { isShortcut } from "../shortcuts/shortcuts.ts";
import { CellViewer } from "./cell-viewer.tsx";
import { columnWidths, minColumnWidth, toOffsets } from "./column-widths.ts";
import { GridFooter } from "./grid-footer.tsx";
import { GridHeader, gridTemplate } from "./grid-header.tsx";
import { type CellPosition, moveSelection, rangeOf, type Selection, toTabbedText } from "./grid-selection.ts";
import { headerHeight, numberWidthOf, rowHeight } from "./grid-sizes.ts";
import { columnsIn, scrollToCell } from "./grid-view.ts";
import type { OpenResult } from "./open-result.ts";
import { cellPositionOf } from "./pooled-row.ts";
import classes from "./result-grid.module.css";
import type { SortAndFilter } from "./result-table.ts";
import type { RowBlocks } from "./row-blocks.ts";
import type { TableView } from "./table-view.ts";
import { textWidthsOf } from "./text-widths.ts";
import { useGridRows, useGridView } from "./use-grid-rows.ts";

interface ResultGridProps {
  result: OpenResult & Partial<Pick<TableView, "pinned">>;
  /** By column: its total, if it has one. */
  totals?: readonly (string | undefined)[] | undefined;
  blocks: RowBlocks;
  sortAndFilter: SortAndFilter;
  onSort: (column: number) => void;
  label: string;
  onWidth?: ((column: string, width: number | null) => void) | undefined;
}

/** The rows of a result. Only those on the screen exist; the keyboard moves, selects, copies and opens cells. */
export function ResultGrid({
  result,
  totals,
  blocks,
  sortAndFilter,
  onSort,
  label,
  onWidth,
}: ResultGridProps) {
  const { fields, longest, pinned = 0 } = result;
  const numberWidth = numberWidthOf(result.rowCount);
  const activeId = useId();
  const frame = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const gridView = useGridView(frame);
  // The widths that somebody has chosen, by column.
  const [chosen, setChosen] = useState<Readonly<Record<string, number>>>({});
  const [measured, setMeasured] = useState<ReturnType<typeof columnWidths>>();
  const [selection, setSelection] = useState<Selection>();
  const [viewed, setViewed] = useState<{ field: Field; value: unknown }>();

  // From the longest values of all rows: widths do not jump when rows are sorted, and no number is cut.
  useLayoutEffect(() => {
    if (frame.current) setMeasured(columnWidths(fields, { longest, totals }, textWidthsOf(frame.current)));
  }, [fields, longest, totals]);
  const drawn = useMemo(
    () => fields.map(({ name }, column) => chosen[name] ?? measured?.[column]?.initial ?? minColumnWidth),
    [chosen, measured, fields],
  );
  const offsets = useMemo(() => toOffsets(drawn), [drawn]);
  const columns = useMemo(
    () => columnsIn(offsets, gridView.horizontalRange, pinned),
    [offsets, gridView.horizontalRange, pinned],
  );
  useGridRows(body, gridView, { blocks, fields, columns, selection, activeId });

  // After sorting or filtering, the grid shows its first rows.
  useEffect(() => {
    if (sortAndFilter) frame.current?.scrollTo({ top: 0 });
    setSelection(undefined);
  }, [sortAndFilter]);

  const select = (next: Selection) => {
    setSelection(next);
    scrollToCell(frame.current, next.active, { offsets, numberWidth, pinned });
  };

  const copy = async () => {
    if (!selection) return;
    const { top, bottom, left, right } = rangeOf(selection);
    const range = await result.rows(top, bottom + 1);
    await copyText(toTabbedText(range.map((row) => row.slice(left, right + 1))));
  };

  const open = () => {
    const { link } = (selection && fields[selection.active.column]?.look) ?? {};
    const linked = selection && blocks.rowAt(selection.active.row)?.[selection.active.column];
    const href = link ? linkOf(link, toPlainText(linked)) : undefined;
    if (href !== undefined) {
      window.open(href, "_blank", "noopener,noreferrer");
      return;
    }
    const field = selection && fields[selection.active.column];
    if (field) setViewed({ field, value: blocks.rowAt(selection.active.row)?.[selection.active.column] });
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget || blocks.count === 0) return;
    const start = selection ?? { active: { row: 0, column: 0 }, anchor: { row: 0, column: 0 } };
    if (isShortcut(event, "copyCells")) void copy();
    else if (isShortcut(event, "openCell")) open();
    else if (isShortcut(event, "clearSelection")) return setSelection(undefined);
    else {
      const size = {
        rows: blocks.count,
        columns: fields.length,
        page: Math.floor((event.currentTarget.clientHeight - headerHeight) / rowHeight) - 2,
      };
      const moved = moveSelection(start, event, size);
      if (!moved) return;
      select(selection ? moved : isMove(event.key) ? start : moved);
    }
    event.preventDefault();
  };

  const onPointer = (event: PointerEvent<HTMLDivElement>) => {
    const place = cellPositionOf(event.target);
    const isDrag = event.type === "pointermove";
    // A move event has no `button`, only the held `buttons`.
    if (!place || (isDrag ? event.buttons !== 1 : event.button !== 0)) return;
    setSelection((before) => {
      if (isDrag && before && isSame(before.active, place)) return before;
      return { active: place, anchor: (isDrag || event.shiftKey) && before ? before.anchor : place };
    });
  };

  const resize = (column: number, next: number | null, isFinal: boolean) => {
    const name = fields[column]?.name ?? "";
    const isKept = isFinal && onWidth !== undefined;
    setChosen(({ [name]: _, ...others }) => (next === null || isKept ? others : { ...others, [name]: next }));
    if (isKept) onWidth(name, next);
  };

  const width = numberWidth + (offsets.at(-1) ?? 0);
  return (
    <>
      <div
        ref={frame}
        role="grid"
        aria-label={label}
        aria-rowcount={blocks.count + (totals ? 2 : 1)}
        aria-colcount={fields.length}
        aria-multiselectable
        aria-activedescendant={selection && activeId}
        tabIndex={0}
        className={classes.grid}
        style={{ "--number-width": `${numberWidth}px` }}
        onKeyDown={onKeyDown}
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onDoubleClick={open}
      >
        <GridHeader
          fields={fields}
          numberWidth={numberWidth}
          widths={drawn}
          columns={columns}
          sort={sortAndFilter.sort}
          onSort={onSort}
          leastWidths={measured?.map(({ least }) => least) ?? []}
          onResize={resize}
        />
        <div
          ref={body}
          role="rowgroup"
          className={classes.body}
          style={{ height: blocks.count * rowHeight, width }}
        />
        {totals && (
          <GridFooter
            fields={fields}
            totals={totals}
            columns={columns}
            template={gridTemplate(numberWidth, drawn, columns)}
            rowIndex={blocks.count + 2}
          />
        )}
      </div>
      {viewed && <CellViewer {...viewed} onClose={() => setViewed(undefined)} />}
    </>
  );
}

const isSame = (one: CellPosition, other: CellPosition) =>
  one.row === other.row && one.column === other.column;

const isMove = (key: string) => /^(?:Arrow|Page|Home|End)/.test(key);

/**
 * Copies text to the clipboard and shows whether it worked. Browsers allow it only on https and on localhost.
 */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notifications.show({ message: "Copied", autoClose: 1500 });
  } catch {
    notifications.show({
      color: "red",
      message: "The browser did not allow copying. Download the result instead.",
    });
  }
}
