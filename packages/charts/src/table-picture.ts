import type { Visualization } from "@querybell/domain";
import type { ChartRows } from "./chart-data.ts";
import type { Reader } from "./formats.ts";
import { noteLines, noteNodes, notesHeight } from "./picture-texts.ts";
import { rowsOfTable, toPlainRows, whatIsLeftOut } from "./plain-rows.ts";
import type { ChartTheme, SceneNode } from "./scene.ts";
import { chosenWidth } from "./table-settings.ts";
import { fitText, textWidth } from "./text-width.ts";

interface TableDrawing {
  visualization: Visualization | null;
  box: { width: number; height: number };
  theme: ChartTheme;
  reader: Reader;
  notes: readonly string[];
}

const lineHeight = 24;
const size = 12;
const between = 16;
const minColumn = 56;
const maxColumn = 260;
/** More rows than fit into the highest tile. */
const maxCells = 20_000;

/** A table in a tile: as many rows and columns as there is room for. What is left out is said below it. */
export function tableNodes(
  { fields, rows, rowCount }: ChartRows,
  { visualization, box, theme, reader, notes }: TableDrawing,
): SceneNode[] {
  const input = { fields, rows: rows.slice(0, rowsOfTable(visualization)), rowCount };
  const table = toPlainRows(input, { visualization, maxCells, reader });
  const lines = Math.max(0, Math.floor(box.height / lineHeight) - 1);
  const widths = columnWidths(table, lines, box.width);
  const fitRows = (below: number) => Math.max(0, Math.floor((box.height - below) / lineHeight) - 1);
  const cut = (rowsThatFit: number) => ({
    ...table,
    columns: table.columns.slice(0, widths.length),
    rows: table.rows.slice(0, rowsThatFit),
  });
  const remarksOf = (shown: typeof table) =>
    noteLines([...notes, ...table.notes, ...whatIsLeftOut(shown, reader)], box.width);
  // The sentences need room themselves.
  const first = remarksOf(cut(lines));
  const shown = cut(first.length === 0 ? lines : fitRows(notesHeight(first)));
  const remarks = remarksOf(shown);
  const nodes: SceneNode[] = [];
  const write = (cells: readonly string[], y: number, isHead: boolean) => {
    let x = 0;
    for (const [at, width] of widths.entries()) {
      const isNumber = shown.columns[at]?.isNumber ?? false;
      nodes.push({
        ...{ kind: "text", part: "label", y, size },
        x: isNumber ? x + width : x,
        text: fitText(cells[at] ?? "", width, size, isHead ? 600 : 400),
        fill: isHead ? theme.dimmed : theme.text,
        anchor: isNumber ? "end" : "start",
        ...(isHead && { weight: 600 }),
      });
      x += width + between;
    }
  };
  const rule = (y: number): SceneNode => ({
    ...{ kind: "path", part: "grid", d: `M0 ${y}H${box.width}`, stroke: theme.grid, strokeWidth: 1 },
  });
  write(
    shown.columns.map(({ title }) => title),
    16,
    true,
  );
  for (const [at, row] of shown.rows.entries()) {
    nodes.push(rule((at + 1) * lineHeight));
    write(row, (at + 1) * lineHeight + 16, false);
  }
  return [...nodes, ...noteNodes(remarks, box, theme)];
}

/** The widths of the columns that fit: those that were chosen, or of their longest texts. At least one. Numbers are not cut. */
function columnWidths(
  { columns, rows }: ReturnType<typeof toPlainRows>,
  lines: number,
  room: number,
): number[] {
  const wanted = columns.map(({ title, isNumber, width }, at) => {
    const texts = rows.slice(0, lines).map((row) => textWidth(row[at] ?? "", size));
    const ofValues = Math.max(minColumn, ...texts) + 2;
    const automatic = Math.min(maxColumn, Math.max(ofValues, textWidth(title, size, 600) + 2));
    const least = isNumber ? ofValues : minColumn;
    return { least, width: Math.max(least, chosenWidth(width) ?? automatic) };
  });
  const widths: number[] = [];
  let left = room;
  for (const { least, width } of wanted) {
    if (left < least && widths.length > 0) break;
    const given = Math.min(width, Math.max(left, 0));
    widths.push(given);
    left -= given + between;
  }
  return widths;
}
