import type { Field } from "@querybell/domain";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { rangeOf, type Selection } from "./grid-selection.ts";
import { type Across, needsOtherColumns, rowsIn } from "./grid-view.ts";
import type { RowBlocks } from "./row-blocks.ts";
import { type DrawnColumns, RowPool } from "./row-pool.ts";

interface GridElements {
  frame: RefObject<HTMLDivElement | null>;
  body: RefObject<HTMLDivElement | null>;
}

/** The part of the columns that the frame shows. Scrolling up and down draws nothing again. */
export function useAcross({ frame }: Pick<GridElements, "frame">): Across {
  const [across, setAcross] = useState<Across>({ left: 0, width: 1200 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    let { width } = element.getBoundingClientRect();
    const look = () =>
      setAcross((before) => {
        const after = { left: element.scrollLeft, width };
        return needsOtherColumns(before, after) ? after : before;
      });
    const observer = new ResizeObserver(([entry]) => {
      width = entry?.contentRect.width ?? width;
      look();
    });
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [frame]);
  return across;
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
export function useGridRows({ frame, body }: GridElements, rows: GridRows): void {
  const { blocks, activeId } = rows;
  const latest = useRef(rows);
  const draw = useRef(() => {});
  useLayoutEffect(() => {
    latest.current = rows;
    draw.current();
  });
  useLayoutEffect(() => {
    const [element, place] = [frame.current, body.current];
    if (!element || !place) return;
    const pool = new RowPool(place, activeId);
    let height = element.clientHeight;
    draw.current = () => {
      const { blocks, selection, fields, columns } = latest.current;
      const [firstRow, lastRow] = rowsIn(element.scrollTop, height, blocks.count);
      blocks.need(firstRow, lastRow);
      const rowAt = (index: number) => blocks.rowAt(index);
      const range = selection && rangeOf(selection);
      pool.draw({ firstRow, lastRow, rowAt, fields, columns, range, active: selection?.active });
    };
    const observer = new ResizeObserver(() => {
      height = element.clientHeight;
      draw.current();
    });
    observer.observe(element);
    const onScroll = () => draw.current();
    element.addEventListener("scroll", onScroll, { passive: true });
    draw.current();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [frame, body, activeId]);
  useEffect(() => blocks.listen(() => draw.current()), [blocks]);
}
