import type { Field } from "@querybell/domain";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { rangeOf, type Selection } from "./grid-selection.ts";
import { type Across, needsOtherColumns, rowsIn } from "./grid-view.ts";
import type { RowBlocks } from "./row-blocks.ts";
import { type DrawnColumns, RowPool } from "./row-pool.ts";

type Element = RefObject<HTMLDivElement | null>;

/** What of the grid is in sight. Read when it changes, never while rows are written: that would force a layout. */
interface View extends Across {
  top: number;
  height: number;
}

interface GridView {
  view: RefObject<View>;
  /** The part of the columns that is drawn: scrolling up and down draws nothing again. */
  across: Across;
  /** Called after the view has changed. */
  onView: RefObject<() => void>;
}

/** Follows what of a frame is in sight. */
export function useGridView(frame: Element): GridView {
  const view = useRef<View>({ top: 0, left: 0, width: 1200, height: 600 });
  const onView = useRef(() => {});
  const [across, setAcross] = useState<Across>(view.current);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const change = (changed: Partial<View>) => {
      const next = { ...view.current, ...changed };
      view.current = next;
      setAcross((before) => (needsOtherColumns(before, next) ? next : before));
      onView.current();
    };
    const onScroll = () => change({ top: element.scrollTop, left: element.scrollLeft });
    const observer = new ResizeObserver(() =>
      change({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [frame]);
  return { view, across, onView };
}

interface GridRows {
  blocks: RowBlocks;
  fields: readonly Field[];
  columns: DrawnColumns;
  selection: Selection | undefined;
  /** The id of the cell that has the keyboard. */
  activeId: string;
}

/** Writes the rows that are in sight into the grid's body: after each render, and without one as they are scrolled. */
export function useGridRows(body: Element, { view, onView }: GridView, rows: GridRows): void {
  const { blocks, activeId } = rows;
  const pool = useRef<RowPool>(null);
  const draw = () => {
    if (!body.current) return;
    pool.current ??= new RowPool(body.current, activeId);
    const { selection, fields, columns } = rows;
    const [firstRow, lastRow] = rowsIn(view.current.top, view.current.height, blocks.count);
    blocks.need(firstRow, lastRow);
    const range = selection && rangeOf(selection);
    pool.current.draw({ firstRow, lastRow, blocks, fields, columns, range, active: selection?.active });
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
