import { toPlainText } from "@querybell/charts/formats";
import { isShortcut, type PressedKey } from "../shortcuts/shortcuts.ts";

export interface CellPosition {
  row: number;
  column: number;
}

/** The active cell, and the cell where the selected range begins. */
export interface Selection {
  active: CellPosition;
  anchor: CellPosition;
}

interface GridSize {
  rows: number;
  columns: number;
  /** How many rows a page of the grid shows. */
  page: number;
}

export interface CellRange {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export const rangeOf = ({ active, anchor }: Selection): CellRange => ({
  top: Math.min(active.row, anchor.row),
  bottom: Math.max(active.row, anchor.row),
  left: Math.min(active.column, anchor.column),
  right: Math.max(active.column, anchor.column),
});

/** The selection after a key. Undefined for a key that does not move it. */
export function moveSelection(
  selection: Selection,
  pressed: PressedKey,
  size: GridSize,
): Selection | undefined {
  const isCommand = pressed.ctrlKey || pressed.metaKey;
  if (isShortcut(pressed, "selectAll")) {
    return { anchor: { row: 0, column: 0 }, active: { row: size.rows - 1, column: size.columns - 1 } };
  }
  const target = targetOf(selection.active, { key: pressed.key, isCommand }, size);
  if (!target) return undefined;
  const active = {
    row: clamp(target.row, size.rows),
    column: clamp(target.column, size.columns),
  };
  return { active, anchor: pressed.shiftKey ? selection.anchor : active };
}

function targetOf(
  { row, column }: CellPosition,
  { key, isCommand }: { key: string; isCommand: boolean },
  size: GridSize,
): CellPosition | undefined {
  switch (key) {
    case "ArrowUp":
      return { row: isCommand ? 0 : row - 1, column };
    case "ArrowDown":
      return { row: isCommand ? size.rows - 1 : row + 1, column };
    case "ArrowLeft":
      return { row, column: isCommand ? 0 : column - 1 };
    case "ArrowRight":
      return { row, column: isCommand ? size.columns - 1 : column + 1 };
    case "PageUp":
      return { row: row - size.page, column };
    case "PageDown":
      return { row: row + size.page, column };
    case "Home":
      return { row: isCommand ? 0 : row, column: 0 };
    case "End":
      return { row: isCommand ? size.rows - 1 : row, column: size.columns - 1 };
    default:
      return undefined;
  }
}

const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));

/**
 * Cells in the format of spreadsheets: tabs between columns, quotes around values with a tab, line break or
 * quote.
 */
export const toTabbedText = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => row.map((value) => quoteCell(toPlainText(value))).join("\t")).join("\n");

const quoteCell = (text: string): string =>
  /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
