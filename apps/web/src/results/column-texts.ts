import type { Field } from "@querybell/domain";
import { isNumeric, shownText } from "./cell-text.ts";
import { cellPadding, minLetterWidth, rowHeight } from "./grid-sizes.ts";
import type { DrawnColumns } from "./pooled-row.ts";
import classes from "./result-grid.module.css";
import type { RowBlocks } from "./row-blocks.ts";

interface ColumnText {
  readonly element: HTMLElement;
  readonly text: Text;
  readonly column: number;
  readonly type: Field["type"];
  maxLetters: number;
}

/**
 * The rows in sight as one text for each column, with a line for each row. Somebody who drags the scroll bar replaces
 * all cells in every frame, and the browser lays out a text of eleven lines several times faster than eleven cells.
 * These are for the eye only: when the scroll bar stops, rows with cells take their place.
 */
export class ColumnTexts {
  readonly element = document.createElement("div");
  #columns: ColumnText[] = [];
  #height = 0;

  constructor() {
    this.element.className = classes.texts ?? "";
    this.element.ariaHidden = "true";
    this.element.hidden = true;
  }

  /** Creates the texts of the columns that are drawn. */
  setColumns(fields: readonly Field[], columns: DrawnColumns): void {
    this.#columns = fields
      .slice(columns.first, columns.last)
      .map(({ type }, index) => createText(columns.first + index, type));
    this.element.replaceChildren(...this.#columns.map(({ element }) => element));
    this.place(columns);
  }

  /** Puts the texts where their columns are. */
  place({ offsets }: DrawnColumns): void {
    for (const one of this.#columns) {
      const [from = 0, to = 0] = [offsets[one.column], offsets[one.column + 1]];
      one.element.style.left = `${from}px`;
      one.element.style.width = `${to - from}px`;
      one.maxLetters = Math.ceil((to - from - 2 * cellPadding) / minLetterWidth);
    }
  }

  show(firstRow: number, lastRow: number, blocks: Pick<RowBlocks, "rowAt">): void {
    // Rows have the background of their index: the first line is always that of an even one.
    const first = firstRow - (firstRow % 2);
    const rows = Array.from({ length: lastRow - first }, (_, index) => blocks.rowAt(first + index));
    for (const { text, column, type, maxLetters } of this.#columns) {
      text.data = rows.map((row) => (row ? toLine(shownText(row[column], type), maxLetters) : "")).join("\n");
    }
    this.element.style.transform = `translateY(${first * rowHeight}px)`;
    this.#setHeight(rows.length * rowHeight);
    this.element.hidden = false;
  }

  hide(): void {
    this.element.hidden = true;
  }

  #setHeight(height: number): void {
    if (height === this.#height) return;
    this.#height = height;
    this.element.style.height = `${height}px`;
  }
}

const toLine = (text: string, maxLetters: number): string =>
  text.slice(0, maxLetters).replace(/[\n\v\f\r\u0085\u2028\u2029]/g, " ");

function createText(column: number, type: Field["type"]): ColumnText {
  const element = document.createElement("div");
  const text = document.createTextNode("");
  element.className = isNumeric(type) ? `${classes.text} ${classes.numeric}` : (classes.text ?? "");
  element.append(text);
  return { element, text, column, type, maxLetters: 0 };
}
