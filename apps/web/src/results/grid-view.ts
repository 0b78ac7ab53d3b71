import type { CellPosition } from "./grid-selection.ts";
import { headerHeight, rowHeight } from "./grid-sizes.ts";
import type { DrawnColumns } from "./pooled-row.ts";

/** Rows beyond the edges: the browser scrolls without waiting for the page, and would show a gap there. */
const overscan = 3;

/** The visible range of the columns. */
export interface HorizontalRange {
  left: number;
  width: number;
}

export const needsOtherColumns = (before: HorizontalRange, after: HorizontalRange): boolean =>
  before.width !== after.width || Math.abs(after.left - before.left) >= 40;

interface RowWindow {
  top: number;
  height: number;
  /**
   * Whether the scroll bar is dragged. Then all rows change at once, and rows beyond the edges are not
   * needed.
   */
  isJumping: boolean;
}

/** The visible rows, and a few above and below. */
export function rowsIn({ top, height, isJumping }: RowWindow, count: number): [first: number, last: number] {
  const beyond = isJumping ? 0 : overscan;
  return [
    Math.max(0, Math.floor(top / rowHeight) - beyond),
    Math.min(count, Math.ceil((top + height - headerHeight) / rowHeight) + beyond),
  ];
}

/** The visible columns, a few on both sides, and those that stay at the left. */
export function columnsIn(
  offsets: readonly number[],
  { left, width }: HorizontalRange,
  pinned = 0,
): DrawnColumns {
  const count = offsets.length - 1;
  const start = offsets.findIndex((_, index) => (offsets[index + 1] ?? Infinity) > left - 200);
  const end = offsets.findIndex((offset) => offset > left + width + 200);
  const first = Math.max(0, Math.min(start, count - 1));
  const last = end === -1 ? count : Math.min(count, end);
  return { first: Math.max(first, Math.min(pinned, count)), last: Math.max(last, pinned), offsets, pinned };
}

/** Scrolls a cell into view, not hidden behind the header or the row numbers. */
export function scrollToCell(
  element: HTMLElement | null,
  { row, column }: CellPosition,
  { offsets, numberWidth, pinned }: { offsets: readonly number[]; numberWidth: number; pinned: number },
): void {
  if (!element) return;
  const top = row * rowHeight;
  const height = element.clientHeight - headerHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowHeight > element.scrollTop + height) element.scrollTop = top + rowHeight - height;
  if (column < pinned) return;
  const [from = 0, to = 0] = [offsets[column], offsets[column + 1]];
  const width = element.clientWidth - numberWidth;
  const covered = offsets[pinned] ?? 0;
  if (from < element.scrollLeft + covered) element.scrollLeft = from - covered;
  else if (to > element.scrollLeft + width) element.scrollLeft = Math.min(from, to - width);
}
