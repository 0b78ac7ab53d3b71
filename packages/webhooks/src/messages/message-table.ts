import { cutText } from "@querybell/domain";

/** The first rows of a chart's result, as text. */
export interface MessageTable {
  title: string;
  columns: string[];
  rows: string[][];
  /** How many rows and columns the result has. */
  rowCount: number;
  columnCount: number;
}

export const tableLimits = { tables: 3, rows: 10, columns: 6 } as const;

/** What is left out; undefined if everything is shown. */
export function describeRest({ columns, rows, rowCount, columnCount }: MessageTable): string | undefined {
  const parts = [
    ...(rows.length < rowCount ? [`${rows.length} of ${rowCount} rows`] : []),
    ...(columns.length < columnCount ? [`${columns.length} of ${columnCount} columns`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** For each column, whether its cells are numbers. They are written flush right, so that their digits compare. */
export const findNumberColumns = ({ columns, rows }: MessageTable): boolean[] =>
  columns.map((_, at) => {
    const cells = rows.map((row) => row[at] ?? "").filter((cell) => cell !== "");
    return cells.length > 0 && cells.every((cell) => /^-?\d+(?:\.\d+)?$/.test(cell));
  });

const maxCell = 24;

/** A cell on one line. One that is too long is cut, with an ellipsis. */
function toCell(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= maxCell ? line : `${cutText(line, maxCell - 1)}…`;
}

/** The table in columns of equal width, for a font in which every character is as wide. */
export function toTextTable(table: MessageTable): string {
  const { columns, rows } = table;
  const areNumbers = findNumberColumns(table);
  const lines = [columns, ...rows].map((row) => row.map(toCell));
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => (areNumbers[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
