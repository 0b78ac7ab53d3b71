import { isNumeric } from "@querybell/charts/chart-data";
import { chosenWidth } from "@querybell/charts/tables";
import { type GridField, shownText, titleOf } from "./cell-text.ts";
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

interface ColumnWidth {
  /** The chosen width, or else one that fits the heading and the longest values; texts up to a limit. */
  initial: number;
  /** Numbers are never cut: part of a number is another number. */
  least: number;
}

interface ShownValues {
  /** By column: the values with the longest texts. */
  longest: readonly (readonly unknown[])[];
  totals: readonly (string | undefined)[] | undefined;
}

/** The widths of columns, from the longest values of all rows. */
export const columnWidths = (
  fields: readonly GridField[],
  { longest, totals }: ShownValues,
  widths: TextWidths,
): ColumnWidth[] =>
  fields.map((field, column) => {
    const values = [...(longest[column] ?? []), ...widestOf(field)].map((value) =>
      widths.widthOf(shownText(value, field).slice(0, maxMeasuredLetters)),
    );
    const room = 2 * cellPadding + slack;
    // Totals are bold, as names are.
    const ofTotal = widths.widthOf(totals?.[column] ?? "") * nameScale;
    const ofValues = Math.max(0, ofTotal, ...values) + room;
    const ofName = widths.widthOf(titleOf(field)) * nameScale + sortMark + room;
    const most = isNumeric(field.type) ? Math.max(maxInitialWidth, ofValues) : maxInitialWidth;
    const least = Math.round(isNumeric(field.type) ? Math.max(minColumnWidth, ofValues) : minColumnWidth);
    const automatic = Math.round(Math.min(most, Math.max(minColumnWidth, ofName, ofValues)));
    return { initial: Math.max(least, chosenWidth(field.look?.width ?? null) ?? automatic), least };
  });

/** With a format, other numbers may be the widest: 0.333333 has more digits than 1,234,567, but not as "0.33". */
function widestOf({ type, look }: GridField): number[] {
  if (!isNumeric(type) || !look?.range) return [];
  const [low, high] = look.range;
  const withDecimals = look.format === "percent" ? [low, high].map((end) => Math.trunc(end) + 0.008) : [];
  const compact = look.format === "compact" ? [low < 0 ? -888_800 : 888_800] : [];
  return [low, high, ...withDecimals, ...compact];
}

/** Where each column begins, and where the last ends. */
export function toOffsets(widths: readonly number[]): number[] {
  const offsets = [0];
  for (const width of widths) offsets.push((offsets.at(-1) ?? 0) + width);
  return offsets;
}
