import { isNumeric } from "@querybell/charts/chart-data";
import type { Field } from "@querybell/domain";
import type { GridField } from "./cell-text.ts";
import { rowHeight } from "./grid-sizes.ts";
import { type DrawnColumns, drawnIndexes, type Marks, PooledRow } from "./pooled-row.ts";
import classes from "./result-grid.module.css";
import type { RowBlocks, RowRange } from "./row-blocks.ts";
import { type TextWidths, textWidthsOf } from "./text-widths.ts";

interface Drawing extends Marks {
  firstRow: number;
  lastRow: number;
  /** Whether all rows change now, and will again in the next frame. */
  isJumping: boolean;
  blocks: Pick<RowBlocks, "rowAt" | "hasRows" | "linesOf">;
  fields: readonly GridField[];
  columns: DrawnColumns;
}

/**
 * The rows on the screen. Scrolling creates no elements and does not use React: a fixed number of row
 * elements is rewritten with the rows that become visible. Only these rows are in the DOM, which an HTML
 * table cannot express, so they have ARIA roles.
 */
export class RowPool {
  readonly #body: HTMLElement;
  readonly #numbers = new RowNumbers();
  readonly #texts = new ColumnTexts();
  readonly #shared: { widths: TextWidths; activeId: string };
  #rows: PooledRow[] = [];
  #fields: readonly GridField[] = [];
  #columns: DrawnColumns | undefined;

  constructor(body: HTMLElement, activeId: string) {
    this.#body = body;
    this.#shared = { widths: textWidthsOf(body), activeId };
  }

  draw(drawing: Drawing): void {
    const { firstRow, lastRow, blocks } = drawing;
    this.#prepare(drawing);
    this.#numbers.show(firstRow, lastRow);
    if (this.#showsTexts(drawing)) {
      this.#texts.show([firstRow, lastRow], blocks);
      // Other rows are not visible. Hiding all of them would slow down this frame and the one after the last
      // jump.
      for (const row of this.#rows) row.hideWithin(firstRow, lastRow);
      return;
    }
    this.#texts.hide();
    // A row keeps its element for as long as it is visible.
    for (let index = firstRow; index < lastRow; index++) {
      this.#rows[index % this.#rows.length]?.show(index, blocks.rowAt(index), drawing);
    }
    for (const row of this.#rows) row.hideOutside(firstRow, lastRow);
  }

  /** When the scroll bar stops, the texts stay until the values of the cells are loaded. */
  #showsTexts(drawing: Drawing): boolean {
    const { isJumping, firstRow, lastRow, blocks } = drawing;
    if (hasMarks(drawing)) return false;
    return isJumping || (this.#texts.isShown && !blocks.hasRows([firstRow, lastRow]));
  }

  /** Creates rows when there are too few of them or their cells are for other columns. */
  #prepare({ firstRow, lastRow, fields, columns }: Drawing): void {
    const before = this.#columns;
    const isSame =
      fields === this.#fields &&
      columns.first === before?.first &&
      columns.last === before.last &&
      columns.pinned === before.pinned;
    const size = Math.max(this.#rows.length, lastRow - firstRow);
    if (!isSame || size > this.#rows.length) {
      // An even number: then an element is always for odd rows or always for even ones.
      const length = size + (size % 2);
      this.#rows = Array.from({ length }, () => new PooledRow(fields, columns, this.#shared));
      this.#texts.setColumns(fields, columns);
      const rows = this.#rows.map(({ element }) => element);
      this.#body.replaceChildren(this.#numbers.element, this.#texts.element, ...rows);
    } else if (columns.offsets !== before.offsets) {
      for (const row of this.#rows) row.place(columns);
      this.#texts.place(columns);
    }
    this.#fields = fields;
    this.#columns = columns;
  }
}

/** Whether a visible cell is selected. Only rows with cells show that. */
export const hasMarks = ({ firstRow, lastRow, range }: Drawing): boolean =>
  range !== undefined && range.top < lastRow && range.bottom >= firstRow;

interface ColumnText {
  readonly element: HTMLElement;
  readonly text: Text;
  readonly column: number;
}

/**
 * The visible rows as one text for each column, with a line for each row. Dragging the scroll bar replaces
 * all cells in every frame, and the browser lays out a text of eleven lines several times faster than eleven
 * cells. The texts are hidden from screen readers. When the scroll bar stops, rows with cells replace them.
 */
class ColumnTexts {
  readonly element = document.createElement("div");
  #columns: ColumnText[] = [];
  #height = 0;

  constructor() {
    this.element.className = classes.texts ?? "";
    this.element.ariaHidden = "true";
    this.element.hidden = true;
  }

  /** Creates the texts of the columns that are drawn. */
  setColumns(fields: readonly GridField[], columns: DrawnColumns): void {
    this.#columns = drawnIndexes(columns, fields.length).flatMap((column) => {
      const field = fields[column];
      return field ? [createText(column, field.type)] : [];
    });
    this.element.replaceChildren(...this.#columns.map(({ element }) => element));
    this.place(columns);
  }

  /** Moves the texts to the positions of their columns. */
  place({ offsets }: DrawnColumns): void {
    for (const one of this.#columns) {
      const [from = 0, to = 0] = [offsets[one.column], offsets[one.column + 1]];
      one.element.style.left = `${from}px`;
      one.element.style.width = `${to - from}px`;
    }
  }

  /** Whether the texts are shown in place of the rows. */
  get isShown(): boolean {
    return !this.element.hidden;
  }

  show([firstRow, lastRow]: RowRange, blocks: Pick<RowBlocks, "linesOf">): void {
    // Even and odd rows have different backgrounds, so the first line is always that of an even row.
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

/**
 * The numbers of the visible rows: one text with a line for each, which stays at the left during horizontal
 * scrolling. Screen readers get a row's number from the row itself.
 */
class RowNumbers {
  readonly element = document.createElement("div");
  readonly #lines = document.createElement("div");
  readonly #text = document.createTextNode("");
  #first = -1;
  #last = -1;

  constructor() {
    this.element.className = classes.numbers ?? "";
    this.element.ariaHidden = "true";
    this.#lines.className = classes.lines ?? "";
    this.#lines.append(this.#text);
    this.element.append(this.#lines);
  }

  show(first: number, last: number): void {
    if (first === this.#first && last === this.#last) return;
    this.#first = first;
    this.#last = last;
    let text = "";
    for (let index = first; index < last; index++) text += `${index + 1}\n`;
    this.#text.data = text;
    this.#lines.style.transform = `translateY(${first * rowHeight}px)`;
  }
}
