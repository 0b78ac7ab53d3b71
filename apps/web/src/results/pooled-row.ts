import { isNumeric } from "@querybell/charts/chart-data";
import { toPlainText } from "@querybell/charts/formats";
import { linkOf } from "@querybell/charts/tables";
import { type GridField, shownText } from "./cell-text.ts";
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
  /** How many of the first columns are drawn as well, and stay at the left. */
  pinned: number;
}

/** The positions of the columns that are drawn. */
export const drawnIndexes = ({ first, last, pinned }: DrawnColumns, count: number): number[] =>
  Array.from({ length: count }, (_, index) => index).filter(
    (index) => index < pinned || (index >= first && index < last),
  );

/** The selected cells, and the active one. */
export interface Marks {
  range: CellRange | undefined;
  active: CellPosition | undefined;
}

interface Cell {
  readonly element: HTMLElement;
  readonly text: Text;
  readonly column: number;
  readonly field: GridField;
  /** Of a column with links. */
  readonly link: HTMLAnchorElement | undefined;
  /** The room for its text. */
  width: number;
  written: string;
  isNull: boolean;
  isCut: boolean;
  isSelected: boolean;
  isActive: boolean;
  background: string;
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
    fields: readonly GridField[],
    columns: DrawnColumns,
    shared: { widths: TextWidths; activeId: string },
  ) {
    this.#textWidths = shared.widths;
    this.#activeId = shared.activeId;
    this.#cells = drawnIndexes(columns, fields.length).flatMap((column) => {
      const field = fields[column];
      return field ? [createCell(column, field, column < columns.pinned)] : [];
    });
    this.element.role = "row";
    this.element.append(...this.#cells.map(({ element }) => element));
    this.place(columns);
  }

  /** Moves the cells to the positions of their columns. */
  place({ offsets, pinned }: DrawnColumns): void {
    for (const cell of this.#cells) {
      const [from = 0, to = 0] = [offsets[cell.column], offsets[cell.column + 1]];
      cell.element.style.marginLeft = `${from}px`;
      if (cell.column < pinned) cell.element.style.left = `calc(var(--number-width) + ${from}px)`;
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
      const text = row ? shownText(value, cell.field) : "";
      const isCut = !this.#textWidths.fits(text, cell.width);
      const written = isCut ? text.slice(0, Math.ceil(cell.width / minLetterWidth)) : text;
      if (written !== cell.written) {
        cell.written = written;
        cell.text.data = written;
      }
      if (cell.link) setLink(cell.link, cell.field, isNull ? "" : toPlainText(value));
      const background = row ? backgroundOf(value, cell.field) : "";
      if (background !== cell.background) {
        cell.background = background;
        cell.element.style.backgroundImage = background;
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

function setLink(link: HTMLAnchorElement, { look }: GridField, value: string): void {
  const href = look?.link ? linkOf(look.link, value) : undefined;
  if (href === undefined) link.removeAttribute("href");
  else link.href = href;
}

/** A colour for the size of a number, or a bar of its length. */
function backgroundOf(value: unknown, { look }: GridField): string {
  const { color, range } = look ?? {};
  const number = value === null || value === undefined ? Number.NaN : Number(value);
  if (!color || !range || Number.isNaN(number)) return "";
  const [low, high] = range;
  if (color === "scale") {
    const share = Math.round(((number - low) / (high - low || 1)) * 60);
    const shade = `color-mix(in srgb, var(--cell-scale) ${share}%, transparent)`;
    return `linear-gradient(${shade}, ${shade})`;
  }
  // Bars begin at zero, which is in the middle where there are losses.
  const [from, to] = [Math.min(0, low), Math.max(0, high)];
  const at = (one: number) => Math.round(((one - from) / (to - from || 1)) * 1000) / 10;
  const [left, right] = [at(Math.min(0, number)), at(Math.max(0, number))];
  const paint = number < 0 ? "var(--cell-loss)" : "var(--cell-bar)";
  return `linear-gradient(to right, transparent ${left}%, ${paint} ${left}% ${right}%, transparent ${right}%)`;
}

function createCell(column: number, field: GridField, isPinned: boolean): Cell {
  const element = document.createElement("div");
  const text = document.createTextNode("");
  element.role = "gridcell";
  element.ariaColIndex = String(column + 1);
  element.ariaSelected = "false";
  const names = [classes.cell, isNumeric(field.type) && classes.numeric, isPinned && classes.pinned];
  element.className = names.filter((name) => name).join(" ");
  const link = field.look?.link ? createLink() : undefined;
  if (link) element.append(link);
  (link ?? element).append(text);
  const written = { written: "", isNull: false, isCut: false, isSelected: false, isActive: false };
  return { element, text, column, field, link, width: 0, background: "", ...written };
}

function createLink(): HTMLAnchorElement {
  const link = document.createElement("a");
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.className = classes.link ?? "";
  // The keyboard opens the link of the active cell.
  link.tabIndex = -1;
  return link;
}

/** The cell of a click. Undefined outside of cells. */
export function cellPositionOf(target: EventTarget): CellPosition | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[role=gridcell]") : null;
  const row = cell?.closest<HTMLElement>("[role=row]");
  if (!cell || !row) return undefined;
  return { row: Number(row.ariaRowIndex) - 2, column: Number(cell.ariaColIndex) - 1 };
}
