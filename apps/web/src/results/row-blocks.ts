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

  /** At the beginning of a drag, the values may be loaded before the texts. */
  #lineAt(index: number, column: number): string {
    const row = this.rowAt(index);
    const field = this.#result.fields[column];
    return row && field ? lineOf(row[column], field) : "";
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

interface BlockCacheOptions<Block> {
  blockRows: number;
  load: (from: number, to: number) => Promise<Block>;
  /** Called when a block has arrived. */
  onLoaded: () => void;
}

/** How many blocks above and below are loaded ahead of scrolling. */
const blocksAround = 2;
/** The oldest blocks beyond this are dropped, and loaded again when needed. */
const maxBlocks = 60;

/** Blocks of rows around what is on the screen. */
class BlockCache<Block> {
  readonly #options: BlockCacheOptions<Block>;
  readonly #blocks = new Map<number, Block | null>();
  #generation = 0;

  constructor(options: BlockCacheOptions<Block>) {
    this.#options = options;
  }

  /** The block at a number; undefined until it is loaded. */
  at(number: number): Block | undefined {
    return this.#blocks.get(number) ?? undefined;
  }

  /** Loads the blocks of these rows and of those around them, before the last row. */
  need([from, to]: readonly [from: number, to: number], rowCount: number): void {
    const { blockRows } = this.#options;
    const first = Math.floor(from / blockRows) - blocksAround;
    const last = Math.floor(to / blockRows) + blocksAround;
    for (let number = Math.max(0, first); number <= last; number++) {
      if (number * blockRows < rowCount && !this.#blocks.has(number)) {
        this.#load(number).catch(ignoreClosed);
      }
    }
  }

  /** Drops all blocks, also those that are still loading. */
  clear(): void {
    this.#generation++;
    this.#blocks.clear();
  }

  set(number: number, block: Block): void {
    this.#blocks.set(number, block);
    for (const old of this.#blocks.keys()) {
      if (this.#blocks.size <= maxBlocks) break;
      this.#blocks.delete(old);
    }
  }

  async #load(number: number): Promise<void> {
    const { blockRows, load, onLoaded } = this.#options;
    this.#blocks.set(number, null);
    const generation = this.#generation;
    const block = await load(number * blockRows, (number + 1) * blockRows);
    if (generation !== this.#generation) return;
    this.set(number, block);
    onLoaded();
  }
}

/** A result that is closed while rows are loading rejects. The rows are no longer needed then. */
export const ignoreClosed = (): void => {};
