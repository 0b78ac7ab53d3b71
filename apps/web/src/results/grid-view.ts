import type { CellPlace } from "./grid-selection.ts";
import { type DrawnColumns, rowHeight } from "./row-pool.ts";

export const headerHeight = 34;
export const numberWidth = 64;
const overscan = 6;

/** What of the columns is in sight. */
export interface Across {
  left: number;
  width: number;
}

export const needsOtherColumns = (before: Across, after: Across): boolean =>
  before.width !== after.width || Math.abs(after.left - before.left) >= 40;

/** The rows that are in sight, and a few above and below. */
export const rowsIn = (top: number, height: number, count: number): [first: number, last: number] => [
  Math.max(0, Math.floor(top / rowHeight) - overscan),
  Math.min(count, Math.ceil((top + height - headerHeight) / rowHeight) + overscan),
];

/** The columns that are in sight, and a little to both sides. */
export function columnsIn(
  widths: readonly number[],
  offsets: readonly number[],
  across: Across,
): DrawnColumns {
  const count = widths.length;
  const { left, width } = across;
  const start = offsets.findIndex((_, index) => (offsets[index + 1] ?? Infinity) > left - 200);
  const end = offsets.findIndex((offset) => offset > left + width + 200);
  const first = Math.max(0, Math.min(start, count - 1));
  const last = end === -1 ? count : Math.min(count, end);
  const shown = widths.slice(first, last).map((one) => `${one}px`);
  return { first, last, template: [`${numberWidth}px`, `${offsets[first] ?? 0}px`, ...shown].join(" ") };
}

/** Brings a cell into sight, clear of the header and the row numbers. */
export function scrollToCell(
  element: HTMLElement | null,
  { row, column }: CellPlace,
  offsets: readonly number[],
): void {
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
