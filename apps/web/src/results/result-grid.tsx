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
import { CellViewer } from "./cell-viewer.tsx";
import { firstWidths, offsetsOf } from "./column-widths.ts";
import { copyText } from "./copy-text.ts";
import { GridHeader } from "./grid-header.tsx";
import { GridRow } from "./grid-row.tsx";
import { moveSelection, rangeOf, type Selection, toTabbedText } from "./grid-selection.ts";
import type { OpenResult } from "./open-result.ts";
import classes from "./result-grid.module.css";
import type { Arrangement } from "./result-table.ts";
import type { RowBlocks } from "./use-row-blocks.ts";

const rowHeight = 30;
const headerHeight = 34;
const numberWidth = 64;
const overscan = 6;

interface ResultGridProps {
  result: OpenResult;
  rows: RowBlocks;
  arrangement: Arrangement;
  onSort: (column: number) => void;
  label: string;
}

/** The rows of a result. Only those on the screen exist; the keyboard moves, selects, copies and opens cells. */
export function ResultGrid({ result, rows, arrangement, onSort, label }: ResultGridProps) {
  const { fields } = result;
  const gridId = useId();
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, left: 0, width: 1200, height: 600 });
  const [widths, setWidths] = useState<readonly number[]>();
  const [selection, setSelection] = useState<Selection>();
  const [viewed, setViewed] = useState<{ field: Field; value: unknown }>();

  const first = rows.rowAt(0);
  const drawn = useMemo(
    () => widths ?? firstWidths(fields, first ? firstRows(rows) : []),
    [widths, fields, first, rows],
  );
  useEffect(() => {
    if (!widths && first) setWidths(firstWidths(fields, firstRows(rows)));
  }, [widths, first, fields, rows]);

  const offsets = useMemo(() => offsetsOf(drawn), [drawn]);
  const firstRow = Math.max(0, Math.floor(view.top / rowHeight) - overscan);
  const lastRow = Math.min(rows.count, Math.ceil((view.top + view.height) / rowHeight) + overscan);
  const [firstColumn, lastColumn] = useMemo(
    () => columnsIn(offsets, view.left, view.width),
    [offsets, view.left, view.width],
  );
  const template = useMemo(() => {
    const shown = drawn.slice(firstColumn, lastColumn).map((width) => `${width}px`);
    return [`${numberWidth}px`, `${offsets[firstColumn] ?? 0}px`, ...shown].join(" ");
  }, [drawn, offsets, firstColumn, lastColumn]);

  useEffect(() => rows.need(firstRow, lastRow), [rows.need, firstRow, lastRow]);

  // What is sorted or filtered otherwise is looked at from its beginning.
  useEffect(() => {
    if (arrangement) frame.current?.scrollTo({ top: 0 });
    setSelection(undefined);
  }, [arrangement]);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setView(viewOf(element));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // A frame at a time, and only when another row or column comes into sight.
    const onScroll = () =>
      setView((before) => (needsDrawing(before, viewOf(element)) ? viewOf(element) : before));
    element.addEventListener("scroll", onScroll, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, []);

  const select = (next: Selection) => {
    setSelection(next);
    scrollTo(frame.current, next.active, offsets);
  };

  const copy = async () => {
    if (!selection) return;
    const { top, bottom, left, right } = rangeOf(selection);
    const range = await result.rows(top, bottom + 1);
    await copyText(toTabbedText(range.map((row) => row.slice(left, right + 1))));
  };

  const open = () => {
    const field = selection && fields[selection.active.column];
    if (field) setViewed({ field, value: rows.rowAt(selection.active.row)?.[selection.active.column] });
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget || rows.count === 0) return;
    const start = selection ?? { active: { row: 0, column: 0 }, anchor: { row: 0, column: 0 } };
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "c") void copy();
    else if (event.key === "Enter") open();
    else if (event.key === "Escape") return setSelection(undefined);
    else {
      const size = {
        rows: rows.count,
        columns: fields.length,
        page: Math.floor(view.height / rowHeight) - 2,
      };
      const moved = moveSelection(start, event, size);
      if (!moved) return;
      select(selection ? moved : isMove(event.key) ? start : moved);
    }
    event.preventDefault();
  };

  const onPointer = (event: PointerEvent<HTMLDivElement>) => {
    const place = placeOf(event.target);
    if (!place || event.button !== 0) return;
    const isDrag = event.type === "pointermove";
    if (isDrag && event.buttons !== 1) return;
    setSelection((before) => ({
      active: place,
      anchor: (isDrag || event.shiftKey) && before ? before.anchor : place,
    }));
  };

  const range = selection && rangeOf(selection);
  const shown = [];
  for (let index = firstRow; index < lastRow; index++) {
    const isInRange = range !== undefined && index >= range.top && index <= range.bottom;
    shown.push(
      <GridRow
        key={index}
        gridId={gridId}
        index={index}
        row={rows.rowAt(index)}
        fields={fields}
        firstColumn={firstColumn}
        lastColumn={lastColumn}
        template={template}
        top={index * rowHeight}
        selectedFrom={isInRange ? range.left : -1}
        selectedTo={isInRange ? range.right : -1}
        activeColumn={selection?.active.row === index ? selection.active.column : -1}
      />,
    );
  }
  const active = selection && `${gridId}-${selection.active.row}-${selection.active.column}`;
  const width = numberWidth + (offsets.at(-1) ?? 0);
  return (
    <>
      <div
        ref={frame}
        role="grid"
        aria-label={label}
        aria-rowcount={rows.count + 1}
        aria-colcount={fields.length + 1}
        aria-multiselectable
        aria-activedescendant={active}
        tabIndex={0}
        className={classes.grid}
        onKeyDown={onKeyDown}
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onDoubleClick={open}
      >
        <GridHeader
          fields={fields}
          widths={drawn}
          firstColumn={firstColumn}
          lastColumn={lastColumn}
          template={template}
          sort={arrangement.sort}
          onSort={onSort}
          onResize={(column, next) => setWidths(drawn.map((old, index) => (index === column ? next : old)))}
        />
        <div role="rowgroup" className={classes.body} style={{ height: rows.count * rowHeight, width }}>
          {shown}
        </div>
      </div>
      {viewed && <CellViewer {...viewed} onClose={() => setViewed(undefined)} />}
    </>
  );
}

const firstRows = (rows: RowBlocks) =>
  Array.from({ length: Math.min(50, rows.count) }, (_, index) => rows.rowAt(index) ?? []);

const isMove = (key: string) => /^(?:Arrow|Page|Home|End)/.test(key);

interface View {
  top: number;
  left: number;
  width: number;
  height: number;
}

const viewOf = ({ scrollTop, scrollLeft, clientWidth, clientHeight }: HTMLDivElement): View => ({
  top: scrollTop,
  left: scrollLeft,
  width: clientWidth,
  height: clientHeight - headerHeight,
});

const needsDrawing = (before: View, after: View): boolean =>
  Math.abs(after.top - before.top) >= rowHeight * 2 || Math.abs(after.left - before.left) >= 40;

/** The columns that are in sight, and a little to both sides. */
function columnsIn(offsets: readonly number[], left: number, width: number): [first: number, last: number] {
  const count = offsets.length - 1;
  const first = offsets.findIndex((_, index) => (offsets[index + 1] ?? Infinity) > left - 200);
  const end = offsets.findIndex((offset) => offset > left + width + 200);
  return [Math.max(0, Math.min(first, count - 1)), end === -1 ? count : Math.min(count, end)];
}

function placeOf(target: EventTarget): { row: number; column: number } | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-column]") : null;
  const row = cell?.closest<HTMLElement>("[data-row]");
  if (!cell || !row) return undefined;
  return { row: Number(row.dataset.row), column: Number(cell.dataset.column) };
}

/** Brings a cell into sight, clear of the header and the row numbers. */
function scrollTo(
  element: HTMLDivElement | null,
  { row, column }: { row: number; column: number },
  offsets: number[],
) {
  if (!element) return;
  const top = row * rowHeight;
  const height = element.clientHeight - headerHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowHeight > element.scrollTop + height) element.scrollTop = top + rowHeight - height;
  const [from = 0, to = 0] = [offsets[column], offsets[column + 1]];
  const width = element.clientWidth - numberWidth;
  if (from < element.scrollLeft) element.scrollLeft = from;
  else if (to > element.scrollLeft + width) element.scrollLeft = Math.min(from, to - width);
}
