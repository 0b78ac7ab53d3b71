import type { JsonTable } from "./json-table.ts";

/** Finds the rows of a result by the texts of some cells. */
export class RowIndex {
  readonly #table: JsonTable;
  readonly #columns: readonly number[];
  /** Open addressing: the row plus one, or 0. */
  readonly #slots: Int32Array;
  readonly #mask: number;

  private constructor(table: JsonTable, columns: readonly number[]) {
    this.#table = table;
    this.#columns = columns;
    const size = 2 ** Math.ceil(Math.log2(Math.max(2, table.rowCount * 2)));
    this.#slots = new Int32Array(size);
    this.#mask = size - 1;
  }

  /** The index of all rows, or a row whose cells another one has too. */
  static create(table: JsonTable, columns: readonly number[]): RowIndex | { repeated: number } {
    const index = new RowIndex(table, columns);
    for (let row = 0; row < table.rowCount; row++) {
      const slot = index.#slotOf(table, row, columns);
      if (index.#slots[slot] !== 0) return { repeated: row };
      index.#slots[slot] = row + 1;
    }
    return index;
  }

  /** The row with the same cells as a row of another result, in these columns of it. Undefined if there is none. */
  find(other: JsonTable, row: number, columns: readonly number[]): number | undefined {
    const found = this.#slots[this.#slotOf(other, row, columns)] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  /** The slot with the same cells, or the free one where they belong. */
  #slotOf(other: JsonTable, row: number, columns: readonly number[]): number {
    let slot = hashCells(other, row, columns) & this.#mask;
    for (;;) {
      const found = this.#slots[slot] ?? 0;
      if (found === 0 || this.#isSame(found - 1, other, row, columns)) return slot;
      slot = (slot + 1) & this.#mask;
    }
  }

  #isSame(own: number, other: JsonTable, row: number, columns: readonly number[]): boolean {
    for (let key = 0; key < columns.length; key++) {
      const [mine, theirs] = [this.#columns[key] ?? 0, columns[key] ?? 0];
      if (
        !isSameCell({ table: this.#table, row: own, column: mine }, { table: other, row, column: theirs })
      ) {
        return false;
      }
    }
    return true;
  }
}

interface Place {
  table: JsonTable;
  row: number;
  column: number;
}

export function isSameCell(one: Place, other: Place): boolean {
  const [start, otherStart] = [
    one.table.cellStart(one.row, one.column),
    other.table.cellStart(other.row, other.column),
  ];
  const length = one.table.cellEnd(one.row, one.column) - start;
  if (other.table.cellEnd(other.row, other.column) - otherStart !== length) return false;
  const [bytes, otherBytes] = [one.table.bytes, other.table.bytes];
  for (let at = 0; at < length; at++) if (bytes[start + at] !== otherBytes[otherStart + at]) return false;
  return true;
}

/** FNV-1a, with a last step that spreads it. Cells are compared too, so a collision only takes time. */
function hashCells(table: JsonTable, row: number, columns: readonly number[]): number {
  const { bytes } = table;
  let hash = 0x811c9dc5;
  for (const column of columns) {
    const end = table.cellEnd(row, column);
    for (let at = table.cellStart(row, column); at < end; at++) {
      hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    }
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  }
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
