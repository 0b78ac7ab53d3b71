import type { Field } from "@querybell/domain";
import { cellText, isNumeric } from "./cell-text.ts";
import type { CellPlace, CellRange } from "./grid-selection.ts";
import classes from "./result-grid.module.css";
import type { Row, RowBlocks } from "./row-blocks.ts";

export const rowHeight = 30;

/** The columns that are drawn, and their widths as the style writes them. */
export interface DrawnColumns {
  first: number;
  last: number;
  template: string;
}

export interface Drawing {
  firstRow: number;
  lastRow: number;
  blocks: Pick<RowBlocks, "rowAt">;
  fields: readonly Field[];
  columns: DrawnColumns;
  range: CellRange | undefined;
  active: CellPlace | undefined;
}

/**
 * The rows on the screen. Scrolled at 5,000 rows a second, all of them change in every frame. So no elements are
 * created then, and React has no part: a fixed number of rows is written again for what comes into sight, and only what
 * differs is written. Rows that are not on the screen do not exist, which a table cannot say: hence the roles.
 */
export class RowPool {
  readonly #body: HTMLElement;
  readonly #activeId: string;
  #rows: PooledRow[] = [];
  #fields: readonly Field[] = [];
  #columns: DrawnColumns | undefined;

  constructor(body: HTMLElement, activeId: string) {
    this.#body = body;
    this.#activeId = activeId;
  }

  draw(drawing: Drawing): void {
    const { firstRow, lastRow, fields, columns } = drawing;
    const size = Math.max(0, lastRow - firstRow);
    if (size > this.#rows.length || columns !== this.#columns || fields !== this.#fields) {
      this.#build(Math.max(size, this.#rows.length), fields, columns);
    }
    for (const row of this.#rows) row.isUsed = false;
    // A row keeps its element for as long as it is in sight.
    for (let index = firstRow; index < lastRow; index++) {
      this.#rows[index % this.#rows.length]?.show(index, drawing);
    }
    for (const row of this.#rows) row.hideIfUnused();
  }

  #build(size: number, fields: readonly Field[], columns: DrawnColumns): void {
    this.#fields = fields;
    this.#columns = columns;
    const shown = fields.slice(columns.first, columns.last);
    // An even number: then an element is always for odd rows or always for even ones.
    const length = size + (size % 2);
    this.#rows = Array.from({ length }, () => new PooledRow(shown, columns, this.#activeId));
    this.#body.replaceChildren(...this.#rows.map(({ element }) => element));
  }
}

class PooledRow {
  readonly element = document.createElement("div");
  isUsed = false;
  readonly #number = createCell("rowheader", 1, classes.number);
  readonly #cells: Cell[];
  readonly #fields: readonly Field[];
  readonly #firstColumn: number;
  readonly #activeId: string;
  #index = -1;
  #row: Row | undefined;
  #isHidden = false;

  constructor(fields: readonly Field[], { first, template }: DrawnColumns, activeId: string) {
    this.#fields = fields;
    this.#firstColumn = first;
    this.#activeId = activeId;
    this.#cells = fields.map(({ type }, index) => {
      const style = isNumeric(type) ? `${classes.cell} ${classes.numeric}` : classes.cell;
      return { ...createCell("gridcell", first + index + 2, style), isNull: false, mark: "" };
    });
    const space = document.createElement("span");
    space.ariaHidden = "true";
    this.element.role = "row";
    this.element.style.gridTemplateColumns = template;
    this.element.append(this.#number.element, space, ...this.#cells.map(({ element }) => element));
  }

  show(index: number, drawing: Drawing): void {
    this.isUsed = true;
    if (this.#isHidden) this.#setHidden(false);
    if (index !== this.#index) this.#move(index);
    const row = drawing.blocks.rowAt(index);
    if (row !== this.#row) this.#write(row);
    this.#mark(drawing);
  }

  hideIfUnused(): void {
    if (!this.isUsed && !this.#isHidden) this.#setHidden(true);
  }

  #setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
    this.element.style.display = isHidden ? "none" : "";
  }

  #move(index: number): void {
    if (this.#index === -1) {
      this.element.className = index % 2 === 0 ? (classes.row ?? "") : `${classes.row} ${classes.odd}`;
    }
    this.#index = index;
    this.#number.text.data = String(index + 1);
    this.element.ariaRowIndex = String(index + 2);
    this.element.style.transform = `translateY(${index * rowHeight}px)`;
  }

  #write(row: Row | undefined): void {
    this.#row = row;
    for (const [index, cell] of this.#cells.entries()) {
      const value = row?.[this.#firstColumn + index] ?? null;
      const isNull = row !== undefined && value === null;
      cell.text.data = isNull ? "NULL" : row ? cellText(value, this.#fields[index]?.type ?? "string") : "";
      if (isNull === cell.isNull) continue;
      cell.isNull = isNull;
      cell.element.classList.toggle(classes.null ?? "", isNull);
    }
  }

  #mark({ range, active }: Drawing): void {
    const isInRange = range !== undefined && this.#index >= range.top && this.#index <= range.bottom;
    for (const [index, cell] of this.#cells.entries()) {
      const column = this.#firstColumn + index;
      const isSelected = isInRange && column >= range.left && column <= range.right;
      const isActive = active?.row === this.#index && active.column === column;
      const mark = `${isSelected}${isActive}`;
      if (mark === cell.mark) continue;
      cell.mark = mark;
      cell.element.ariaSelected = String(isSelected);
      cell.element.classList.toggle(classes.selected ?? "", isSelected);
      cell.element.classList.toggle(classes.active ?? "", isActive);
      // The grid names the cell that has the keyboard.
      if (isActive) cell.element.id = this.#activeId;
      else cell.element.removeAttribute("id");
    }
  }
}

interface Cell {
  element: HTMLElement;
  text: Text;
  isNull: boolean;
  mark: string;
}

function createCell(role: "rowheader" | "gridcell", columnIndex: number, className: string | undefined) {
  const element = document.createElement("div");
  const text = document.createTextNode("");
  element.role = role;
  element.ariaColIndex = String(columnIndex);
  element.className = className ?? "";
  element.append(text);
  return { element, text };
}

/** Where a click went; undefined beside the cells. */
export function placeOf(target: EventTarget): CellPlace | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[role=gridcell]") : null;
  const row = cell?.closest<HTMLElement>("[role=row]");
  if (!cell || !row) return undefined;
  return { row: Number(row.ariaRowIndex) - 2, column: Number(cell.ariaColIndex) - 2 };
}
