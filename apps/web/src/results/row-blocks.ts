import { BlockCache } from "./block-cache.ts";
import { type ColumnLines, lineOf, linesBetween } from "./column-lines.ts";
import type { OpenResult } from "./open-result.ts";
import type { SortAndFilter } from "./result-table.ts";

export type Row = readonly unknown[];
/** From a row to before another. */
export type RowRange = readonly [first: number, last: number];

/** A block is one message from the worker. The main thread decodes it between two frames, so its size is limited. */
const maxBlockRows = 200;
const maxBlockCells = 4_000;

/** The rows around what is on the screen, in blocks. The worker has all rows. */
export class RowBlocks {
  readonly #result: OpenResult;
  readonly #listeners = new Set<() => void>();
  readonly #blockRows: number;
  /** Their values, for cells. */
  readonly #rows: BlockCache<readonly Row[]>;
  /** Their texts, while somebody drags the scroll bar. */
  readonly #lines: BlockCache<ColumnLines>;
  #generation = 0;
  #count: number;

  constructor(result: OpenResult) {
    this.#result = result;
    this.#count = result.rowCount;
    this.#blockRows = Math.max(20, Math.min(maxBlockRows, Math.floor(maxBlockCells / result.fields.length)));
    const shared = { blockRows: this.#blockRows, onLoaded: () => this.#notify() };
    this.#rows = new BlockCache({ ...shared, load: result.rows });
    this.#lines = new BlockCache({ ...shared, load: result.lines });
  }

  /** How many rows the filter leaves. */
  get count(): number {
    return this.#count;
  }

  /** A row; undefined until its block is loaded. */
  rowAt(index: number): Row | undefined {
    return this.#rows.at(Math.floor(index / this.#blockRows))?.[index % this.#blockRows];
  }

  hasRows([first, last]: RowRange): boolean {
    for (let index = first; index < last; index++) if (!this.rowAt(index)) return false;
    return true;
  }

  /** The texts of a column, one line for each row. A line is empty until its block is loaded. */
  linesOf(column: number, [first, last]: RowRange): string {
    const parts: string[] = [];
    for (let from = first; from < last; ) {
      const number = Math.floor(from / this.#blockRows);
      const start = number * this.#blockRows;
      const to = Math.min(last, start + this.#blockRows);
      const lines = this.#lines.at(number);
      if (lines) parts.push(linesBetween(lines, column, [from - start, to - start]));
      else for (let index = from; index < to; index++) parts.push(this.#lineAt(index, column));
      from = to;
    }
    return parts.join("\n");
  }

  /** At the beginning of a drag, the values may be there before the texts are. */
  #lineAt(index: number, column: number): string {
    const row = this.rowAt(index);
    const field = this.#result.fields[column];
    return row && field ? lineOf(row[column], field.type) : "";
  }

  /** Sorts and filters. The previous rows stay until the first new ones are loaded. */
  async sortAndFilter(order: SortAndFilter): Promise<void> {
    const generation = ++this.#generation;
    const count = await this.#result.sortAndFilter(order);
    const rows = await this.#result.rows(0, this.#blockRows);
    if (generation !== this.#generation) return;
    this.#rows.clear();
    this.#lines.clear();
    this.#rows.set(0, rows);
    this.#count = count;
    this.#notify();
  }

  /** Loads these rows and those around them: their values, or only their texts. */
  need(range: RowRange, { asLines }: { asLines: boolean }): void {
    const cache = asLines ? this.#lines : this.#rows;
    cache.need(range, this.#count);
  }

  /** Calls back when rows have arrived, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
