import type { Field } from "@querybell/domain";
import { cellText } from "./cell-text.ts";
import { cellPadding } from "./grid-sizes.ts";
import type { TextWidths } from "./text-widths.ts";

export const minColumnWidth = 56;
const maxInitialWidth = 360;
const maxMeasuredLetters = 80;
/** Names are bold, and have the arrow of the sorted column beside them. */
const nameScale = 1.1;
const sortMark = 20;
/** Rounding, and letters that are a little wider on the screen. */
const slack = 4;

/** Widths that fit the names and the first rows, up to a limit. */
export const initialWidths = (
  fields: readonly Field[],
  rows: readonly (readonly unknown[])[],
  widths: TextWidths,
): number[] =>
  fields.map(({ name, type }, column) => {
    const widthAt = (row: readonly unknown[]) =>
      widths.widthOf(cellText(row[column] ?? null, type).slice(0, maxMeasuredLetters));
    const widest = Math.max(widths.widthOf(name) * nameScale + sortMark, ...rows.map(widthAt));
    const width = widest + 2 * cellPadding + slack;
    return Math.round(Math.min(maxInitialWidth, Math.max(minColumnWidth, width)));
  });

/** Where each column begins, and where the last ends. */
export function toOffsets(widths: readonly number[]): number[] {
  const offsets = [0];
  for (const width of widths) offsets.push((offsets.at(-1) ?? 0) + width);
  return offsets;
}
