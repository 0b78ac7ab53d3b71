import type { Field } from "@querybell/domain";
import { isNumeric } from "./cell-text.ts";
import { rowHeight } from "./grid-sizes.ts";
import type { DrawnColumns } from "./pooled-row.ts";
import classes from "./result-grid.module.css";
import type { RowBlocks, RowRange } from "./row-blocks.ts";

interface ColumnText {
  readonly element: HTMLElement;
  readonly text: Text;
  readonly column: number;
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
    }
  }

  /** Whether they are what is seen of the rows. */
  get isShown(): boolean {
    return !this.element.hidden;
  }

  show([firstRow, lastRow]: RowRange, blocks: Pick<RowBlocks, "linesOf">): void {
    // Rows have the background of their index: the first line is always that of an even one.
    const first = firstRow - (firstRow % 2);
    for (const { text, column } of this.#columns) text.data = blocks.linesOf(column, [first, lastRow]);
    this.element.style.transform = `translateY(${first * rowHeight}px)`;
    this.#setHeight((lastRow - first) * rowHeight);
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

function createText(column: number, type: Field["type"]): ColumnText {
  const element = document.createElement("div");
  const text = document.createTextNode("");
  element.className = isNumeric(type) ? `${classes.text} ${classes.numeric}` : (classes.text ?? "");
  element.append(text);
  return { element, text, column };
}
