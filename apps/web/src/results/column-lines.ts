import { type GridField, shownText } from "./cell-text.ts";

/** How much of a long value is written while the scroll bar is dragged. */
const maxLetters = 120;

/**
 * The texts of some rows: one string for each column, with a line for each row. Fast to send between threads.
 */
export interface ColumnLines {
  rowCount: number;
  texts: string[];
  /** Where each line ends: those of the first column, then those of the second, and so on. */
  ends: Uint32Array<ArrayBuffer>;
}

/**
 * Writes rows as lines. Called in the worker: formatting is slow, and texts are received faster than many
 * values.
 */
export function toColumnLines(
  fields: readonly GridField[],
  rows: readonly (readonly unknown[])[],
): ColumnLines {
  const ends = new Uint32Array(fields.length * rows.length);
  const texts = fields.map((field, column) => {
    let text = "";
    for (const [index, row] of rows.entries()) {
      text += `${index === 0 ? "" : "\n"}${lineOf(row[column], field)}`;
      ends[column * rows.length + index] = text.length;
    }
    return text;
  });
  return { rowCount: rows.length, texts, ends };
}

/** The lines of a column from one row to before another. */
export function linesBetween(
  { rowCount, texts, ends }: ColumnLines,
  column: number,
  [from, to]: readonly [from: number, to: number],
): string {
  const ofColumn = column * rowCount;
  const start = from === 0 ? 0 : (ends[ofColumn + from - 1] ?? 0) + 1;
  return texts[column]?.slice(start, ends[ofColumn + to - 1]) ?? "";
}

/** A value as one line. */
export const lineOf = (value: unknown, field: GridField): string =>
  shownText(value, field)
    .slice(0, maxLetters)
    .replace(/[\n\v\f\r\u0085\u2028\u2029]/g, " ");
