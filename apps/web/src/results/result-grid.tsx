import { notifications } from "@mantine/notifications";
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
import { initialWidths, minColumnWidth, toOffsets } from "./column-widths.ts";
import { GridHeader } from "./grid-header.tsx";
import { type CellPosition, moveSelection, rangeOf, type Selection, toTabbedText } from "./grid-selection.ts";
import { headerHeight, numberWidthOf, rowHeight } from "./grid-sizes.ts";
import { columnsIn, scrollToCell } from "./grid-view.ts";
import type { OpenResult } from "./open-result.ts";
import { cellPositionOf } from "./pooled-row.ts";
import classes from "./result-grid.module.css";
import type { SortAndFilter } from "./result-table.ts";
import type { RowBlocks } from "./row-blocks.ts";
import { textWidthsOf } from "./text-widths.ts";
import { useGridRows, useGridView } from "./use-grid-rows.ts";

interface ResultGridProps {
  result: OpenResult;
  blocks: RowBlocks;
  sortAndFilter: SortAndFilter;
  onSort: (column: number) => void;
  label: string;
}

/** The rows of a result. Only those on the screen exist; the keyboard moves, selects, copies and opens cells. */
export function ResultGrid({ result, blocks, sortAndFilter, onSort, label }: ResultGridProps) {
  const { fields } = result;
  const numberWidth = numberWidthOf(result.rowCount);
  const activeId = useId();
  const frame = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const gridView = useGridView(frame);
  const [widths, setWidths] = useState<readonly number[]>();
  const [selection, setSelection] = useState<Selection>();
  const [viewed, setViewed] = useState<{ field: Field; value: unknown }>();

  // Measured once, when the first rows are loaded: widths do not jump when rows are sorted.
  const isLoaded = result.rowCount === 0 || blocks.rowAt(0) !== undefined;
  useLayoutEffect(() => {
    if (!isLoaded || !frame.current) return;
    const measured = initialWidths(fields, firstRows(blocks), textWidthsOf(frame.current));
    setWidths((chosen) => chosen ?? measured);
  }, [isLoaded, fields, blocks]);
  const drawn = useMemo(() => widths ?? fields.map(() => minColumnWidth), [widths, fields]);
  const offsets = useMemo(() => toOffsets(drawn), [drawn]);
  const columns = useMemo(
    () => columnsIn(offsets, gridView.horizontalRange),
    [offsets, gridView.horizontalRange],
  );
  useGridRows(body, gridView, { blocks, fields, columns, selection, activeId });

  // After sorting or filtering, the grid shows its first rows.
  useEffect(() => {
    if (sortAndFilter) frame.current?.scrollTo({ top: 0 });
    setSelection(undefined);
  }, [sortAndFilter]);

  const select = (next: Selection) => {
    setSelection(next);
    scrollToCell(frame.current, next.active, { offsets, numberWidth });
  };

  const copy = async () => {
    if (!selection) return;
    const { top, bottom, left, right } = rangeOf(selection);
    const range = await result.rows(top, bottom + 1);
    await copyText(toTabbedText(range.map((row) => row.slice(left, right + 1))));
  };

  const open = () => {
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

  const width = numberWidth + (offsets.at(-1) ?? 0);
  return (
    <>
      <div
        ref={frame}
        role="grid"
        aria-label={label}
        aria-rowcount={blocks.count + 1}
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
          onResize={(column, next) => setWidths(drawn.map((old, index) => (index === column ? next : old)))}
        />
        <div
          ref={body}
          role="rowgroup"
          className={classes.body}
          style={{ height: blocks.count * rowHeight, width }}
        />
      </div>
      {viewed && <CellViewer {...viewed} onClose={() => setViewed(undefined)} />}
    </>
  );
}

const firstRows = (blocks: RowBlocks) =>
  Array.from({ length: Math.min(50, blocks.count) }, (_, index) => blocks.rowAt(index) ?? []);

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
