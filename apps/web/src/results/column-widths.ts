import type { Field } from "@querybell/domain";
import { cellText } from "./cell-text.ts";

export const minColumnWidth = 56;
const maxFirstWidth = 360;
const characterWidth = 7.6;
const padding = 28;
const sortMark = 20;

/** Widths in which the first rows can be read, within reason. */
export const firstWidths = (fields: readonly Field[], rows: readonly (readonly unknown[])[]): number[] =>
  fields.map(({ name, type }, column) => {
    const texts = rows.slice(0, 50).map((row) => cellText(row[column] ?? null, type).length);
    const longest = Math.max(name.length + sortMark / characterWidth, ...texts);
    return Math.round(Math.min(maxFirstWidth, Math.max(minColumnWidth, longest * characterWidth + padding)));
  });

/** Where each column begins, and where the last ends. */
export function offsetsOf(widths: readonly number[]): number[] {
  const offsets = [0];
  for (const width of widths) offsets.push((offsets.at(-1) ?? 0) + width);
  return offsets;
}
