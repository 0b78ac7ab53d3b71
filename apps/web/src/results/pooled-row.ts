import { isNumeric } from "@querybell/charts/chart-data";
import type { Field } from "@querybell/domain";
import { shownText } from "./cell-text.ts";
import type { CellPosition, CellRange } from "./grid-selection.ts";
import { cellPadding, minLetterWidth, rowHeight } from "./grid-sizes.ts";
import classes from "./result-grid.module.css";
import type { Row } from "./row-blocks.ts";
import type { TextWidths } from "./text-widths.ts";

/** The columns that are drawn. */
export interface DrawnColumns {
  first: number;
  last: number;
  /** Where each column of the result begins, and where the last ends. */
  offsets: readonly number[];
}

/** The selected cells, and the active one. */
export interface Marks {
  range: CellRange | undefined;
  active: CellPosition | undefined;
}

interface Cell {
  readonly element: HTMLElement;
  readonly text: Text;
  readonly column: number;
  readonly type: Field["type"];
  /** The room for its text. */
  width: number;
  written: string;
  isNull: boolean;
  isCut: boolean;
  isSelected: boolean;
  isActive: boolean;
}

/** A row element that is reused for other rows. Only differences are written. */
export class PooledRow {
  readonly element = document.createElement("div");
  readonly #cells: Cell[];
  readonly #textWidths: TextWidths;
  readonly #activeId: string;
  #index = -1;
  #row: Row | undefined;
  #isHidden = false;
  #isMarked = false;

  constructor(
    fields: readonly Field[],
    columns: DrawnColumns,
    shared: { widths: TextWidths; activeId: string },
  ) {
    this.#textWidths = shared.widths;
    this.#activeId = shared.activeId;
    this.#cells = fields
      .slice(columns.first, columns.last)
      .map(({ type }, index) => createCell(columns.first + index, type));
    this.element.role = "row";
    this.element.append(...this.#cells.map(({ element }) => element));
    this.place(columns);
  }

  /** Moves the cells to the positions of their columns. */
  place({ offsets }: DrawnColumns): void {
    for (const cell of this.#cells) {
      const [from = 0, to = 0] = [offsets[cell.column], offsets[cell.column + 1]];
      cell.element.style.marginLeft = `${from}px`;
      cell.element.style.width = `${to - from}px`;
      cell.width = to - from - 2 * cellPadding;
    }
    this.#write(this.#row);
  }

  show(index: number, row: Row | undefined, marks: Marks): void {
    this.#setHidden(false);
    if (index !== this.#index) this.#move(index);
    if (row !== this.#row) this.#write(row);
    this.#mark(marks);
  }

  hideWithin(first: number, last: number): void {
    if (this.#isWithin(first, last)) this.#setHidden(true);
  }

  hideOutside(first: number, last: number): void {
    if (!this.#isWithin(first, last)) this.#setHidden(true);
  }

  #isWithin(first: number, last: number): boolean {
    return this.#index >= first && this.#index < last;
  }

  #setHidden(isHidden: boolean): void {
    if (this.#isHidden === isHidden) return;
    this.#isHidden = isHidden;
    this.element.style.display = isHidden ? "none" : "";
  }

  #move(index: number): void {
    if (this.#index === -1) {
      this.element.className = index % 2 === 0 ? (classes.row ?? "") : `${classes.row} ${classes.odd}`;
    }
    this.#index = index;
    this.element.ariaRowIndex = String(index + 2);
    this.element.style.transform = `translateY(${index * rowHeight}px)`;
  }

  #write(row: Row | undefined): void {
    this.#row = row;
    for (const cell of this.#cells) {
      const value = row?.[cell.column] ?? null;
      const isNull = row !== undefined && value === null;
      const text = row ? shownText(value, cell.type) : "";
      const isCut = !this.#textWidths.fits(text, cell.width);
      const written = isCut ? text.slice(0, Math.ceil(cell.width / minLetterWidth)) : text;
      if (written !== cell.written) {
        cell.written = written;
        cell.text.data = written;
      }
      if (isCut !== cell.isCut) {
        cell.isCut = isCut;
        cell.element.classList.toggle(classes.cut ?? "", isCut);
      }
      if (isNull !== cell.isNull) {
        cell.isNull = isNull;
        cell.element.classList.toggle(classes.null ?? "", isNull);
      }
    }
  }

  #mark({ range, active }: Marks): void {
    const isInRange = range !== undefined && this.#index >= range.top && this.#index <= range.bottom;
    const hasActive = active?.row === this.#index;
    if (!isInRange && !hasActive && !this.#isMarked) return;
    this.#isMarked = isInRange || hasActive;
    for (const cell of this.#cells) {
      const { column, element } = cell;
      const isSelected = isInRange && column >= range.left && column <= range.right;
      const isActive = hasActive && active.column === column;
      if (isSelected !== cell.isSelected) {
        cell.isSelected = isSelected;
        element.ariaSelected = String(isSelected);
        element.classList.toggle(classes.selected ?? "", isSelected);
      }
      if (isActive !== cell.isActive) {
        cell.isActive = isActive;
        element.classList.toggle(classes.active ?? "", isActive);
        // The grid refers to the active cell by this id.
        if (isActive) element.id = this.#activeId;
        else element.removeAttribute("id");
      }
    }
  }
}

function createCell(column: number, type: Field["type"]): Cell {
  const element = document.createElement("div");
  const text = document.createTextNode("");
  element.role = "gridcell";
  element.ariaColIndex = String(column + 1);
  element.ariaSelected = "false";
  element.className = isNumeric(type) ? `${classes.cell} ${classes.numeric}` : (classes.cell ?? "");
  element.append(text);
  const written = { written: "", isNull: false, isCut: false, isSelected: false, isActive: false };
  return { element, text, column, type, width: 0, ...written };
}

/** The cell of a click. Undefined outside of cells. */
export function cellPositionOf(target: EventTarget): CellPosition | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[role=gridcell]") : null;
  const row = cell?.closest<HTMLElement>("[role=row]");
  if (!cell || !row) return undefined;
  return { row: Number(row.ariaRowIndex) - 2, column: Number(cell.ariaColIndex) - 1 };
}
