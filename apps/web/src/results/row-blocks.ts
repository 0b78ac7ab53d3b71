import type { OpenResult } from "./open-result.ts";
import type { SortAndFilter } from "./result-table.ts";

export type Row = readonly unknown[];

/** A block is one message from the worker. The main thread decodes it between two frames, so its size is limited. */
const maxBlockRows = 200;
const maxBlockCells = 4_000;
/** How many blocks above and below are loaded ahead of scrolling. */
const blocksAround = 2;
/** The oldest blocks beyond this are dropped, and loaded again when needed. */
const maxBlocks = 60;

/** The rows around what is on the screen, in blocks. The worker has all rows. */
export class RowBlocks {
  readonly #result: OpenResult;
  readonly #listeners = new Set<() => void>();
  readonly #blocks = new Map<number, readonly Row[] | null>();
  readonly #blockRows: number;
  #generation = 0;
  #count: number;

  constructor(result: OpenResult) {
    this.#result = result;
    this.#count = result.rowCount;
    this.#blockRows = Math.max(20, Math.min(maxBlockRows, Math.floor(maxBlockCells / result.fields.length)));
  }

  /** How many rows the filter leaves. */
  get count(): number {
    return this.#count;
  }

  /** A row; undefined until its block is loaded. */
  rowAt(index: number): Row | undefined {
    return this.#blocks.get(Math.floor(index / this.#blockRows))?.[index % this.#blockRows];
  }

  /** Sorts and filters. The previous rows stay until the first new ones are loaded. */
  async sortAndFilter(order: SortAndFilter): Promise<void> {
    const generation = ++this.#generation;
    const count = await this.#result.sortAndFilter(order);
    const rows = await this.#result.rows(0, this.#blockRows);
    if (generation !== this.#generation) return;
    this.#blocks.clear();
    this.#blocks.set(0, rows);
    this.#count = count;
    this.#notify();
  }

  /** Loads the blocks of these rows and of those around them. */
  need(from: number, to: number): void {
    const first = Math.floor(from / this.#blockRows) - blocksAround;
    const last = Math.floor(to / this.#blockRows) + blocksAround;
    for (let block = Math.max(0, first); block <= last; block++) {
      if (block * this.#blockRows < this.#count && !this.#blocks.has(block)) {
        this.#load(block).catch(ignoreClosed);
      }
    }
  }

  /** Calls back when rows have arrived, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #load(block: number): Promise<void> {
    this.#blocks.set(block, null);
    const generation = this.#generation;
    const rows = await this.#result.rows(block * this.#blockRows, (block + 1) * this.#blockRows);
    if (generation !== this.#generation) return;
    this.#blocks.set(block, rows);
    for (const old of this.#blocks.keys()) {
      if (this.#blocks.size <= maxBlocks) break;
      this.#blocks.delete(old);
    }
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** A result that is closed while rows are loading rejects. The rows are no longer needed then. */
export const ignoreClosed = (): void => {};
