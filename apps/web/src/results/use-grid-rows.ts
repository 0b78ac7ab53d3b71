import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { GridField } from "./cell-text.ts";
import { rangeOf, type Selection } from "./grid-selection.ts";
import { type HorizontalRange, needsOtherColumns, rowsIn } from "./grid-view.ts";
import type { DrawnColumns } from "./pooled-row.ts";
import type { RowBlocks } from "./row-blocks.ts";
import { hasMarks, RowPool } from "./row-pool.ts";

type Element = RefObject<HTMLDivElement | null>;

/** The visible part of the grid. Never measured while rows are written, because that would force a layout. */
interface View extends HorizontalRange {
  top: number;
  height: number;
  /** Whether the last scroll step was longer than the visible part. */
  isJumping: boolean;
}

interface GridView {
  view: RefObject<View>;
  /** The range of columns that is drawn. Vertical scrolling does not change it. */
  horizontalRange: HorizontalRange;
  /** Called after the view has changed. */
  onView: RefObject<() => void>;
}

/** The scroll bar counts as stopped if it has not moved for this long. */
const jumpPauseMs = 100;

/** Tracks the visible part of a frame. */
export function useGridView(frame: Element): GridView {
  const view = useRef<View>({ top: 0, left: 0, width: 1200, height: 600, isJumping: false });
  const onView = useRef(() => {});
  const [horizontalRange, setHorizontalRange] = useState<HorizontalRange>(view.current);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    let drawn: HorizontalRange = view.current;
    let stopped: ReturnType<typeof setTimeout> | undefined;
    const change = (changed: Partial<View>) => {
      const next = { ...view.current, ...changed };
      view.current = next;
      if (needsOtherColumns(drawn, next)) {
        drawn = next;
        setHorizontalRange(next);
      }
      onView.current();
    };
    const onScroll = () => {
      const { scrollTop: top, scrollLeft: left } = element;
      const isJumping = Math.abs(top - view.current.top) > view.current.height;
      clearTimeout(stopped);
      if (isJumping) stopped = setTimeout(() => change({ isJumping: false }), jumpPauseMs);
      change({ top, left, isJumping });
    };
    const observer = new ResizeObserver(() =>
      change({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
      clearTimeout(stopped);
    };
  }, [frame]);
  return { view, horizontalRange, onView };
}

interface GridRows {
  blocks: RowBlocks;
  fields: readonly GridField[];
  columns: DrawnColumns;
  selection: Selection | undefined;
  /** The id of the active cell. */
  activeId: string;
}

/** Writes the visible rows into the grid's body: after each render, and during scrolling without a render. */
export function useGridRows(body: Element, { view, onView }: GridView, rows: GridRows): void {
  const { blocks, activeId } = rows;
  const pool = useRef<RowPool>(null);
  const draw = () => {
    if (!body.current) return;
    pool.current ??= new RowPool(body.current, activeId);
    const { selection, fields, columns } = rows;
    const [firstRow, lastRow] = rowsIn(view.current, blocks.count);
    const range = selection && rangeOf(selection);
    const { isJumping } = view.current;
    const marks = { range, active: selection?.active };
    const drawing = { firstRow, lastRow, isJumping, blocks, fields, columns, ...marks };
    blocks.need([firstRow, lastRow], { asLines: isJumping && !hasMarks(drawing) });
    pool.current.draw(drawing);
  };
  useLayoutEffect(() => {
    onView.current = draw;
    draw();
  });
  // Rows arrive several times in a frame, and are written once.
  useEffect(() => {
    let frame = 0;
    const unlisten = blocks.listen(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => onView.current());
    });
    return () => {
      cancelAnimationFrame(frame);
      unlisten();
    };
  }, [blocks, onView]);
}
