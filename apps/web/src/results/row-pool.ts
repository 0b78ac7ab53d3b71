import type { Field } from "@querybell/domain";
import { ColumnTexts } from "./column-texts.ts";
import { type DrawnColumns, type Marks, PooledRow } from "./pooled-row.ts";
import type { RowBlocks } from "./row-blocks.ts";
import { RowNumbers } from "./row-numbers.ts";
import { type TextWidths, textWidthsOf } from "./text-widths.ts";

export interface Drawing extends Marks {
  firstRow: number;
  lastRow: number;
  /** All rows change, and will again in the next frame. */
  isJumping: boolean;
  blocks: Pick<RowBlocks, "rowAt" | "hasRows" | "linesOf">;
  fields: readonly Field[];
  columns: DrawnColumns;
}

/**
 * The rows on the screen. While they are scrolled no elements are created, and React has no part: a fixed number of rows
 * is written again for what comes into sight. Rows that are not on the screen do not exist, which a table cannot say:
 * hence the roles.
 */
export class RowPool {
  readonly #body: HTMLElement;
  readonly #numbers = new RowNumbers();
  readonly #texts = new ColumnTexts();
  readonly #shared: { widths: TextWidths; activeId: string };
  #rows: PooledRow[] = [];
  #fields: readonly Field[] = [];
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
      // The others are out of sight, and hiding them all would make this frame and the one after the last jump long.
      for (const row of this.#rows) row.hideWithin(firstRow, lastRow);
      return;
    }
    this.#texts.hide();
    // A row keeps its element for as long as it is in sight.
    for (let index = firstRow; index < lastRow; index++) {
      this.#rows[index % this.#rows.length]?.show(index, blocks.rowAt(index), drawing);
    }
    for (const row of this.#rows) row.hideOutside(firstRow, lastRow);
  }

  /** When the scroll bar stops, the texts stay until the values of the cells are there. */
  #showsTexts(drawing: Drawing): boolean {
    const { isJumping, firstRow, lastRow, blocks } = drawing;
    if (hasMarks(drawing)) return false;
    return isJumping || (this.#texts.isShown && !blocks.hasRows([firstRow, lastRow]));
  }

  /** Creates rows when there are too few of them or their cells are for other columns. */
  #prepare({ firstRow, lastRow, fields, columns }: Drawing): void {
    const before = this.#columns;
    const isSame = fields === this.#fields && columns.first === before?.first && columns.last === before.last;
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

/** Whether something in sight is selected: only rows with cells show that. */
export const hasMarks = ({ firstRow, lastRow, range }: Drawing): boolean =>
  range !== undefined && range.top < lastRow && range.bottom >= firstRow;
