import type { OpenResult } from "./open-result.ts";
import type { Arrangement } from "./result-table.ts";

export type Row = readonly unknown[];

const blockSize = 200;
/** Some screens' worth: what was left long ago is asked for again. */
const maxBlocks = 60;

/** The rows of a result as far as they are looked at. The worker has them all. */
export class RowBlocks {
  readonly #result: OpenResult;
  readonly #listeners = new Set<() => void>();
  readonly #blocks = new Map<number, readonly Row[] | null>();
  #generation = 0;
  #count: number;

  constructor(result: OpenResult) {
    this.#result = result;
    this.#count = result.rowCount;
  }

  /** How many rows the arrangement leaves. */
  get count(): number {
    return this.#count;
  }

  /** A row; undefined while it is on its way. */
  rowAt(index: number): Row | undefined {
    return this.#blocks.get(Math.floor(index / blockSize))?.[index % blockSize];
  }

  /** Sorts and filters. The rows of before stay until the first of the new ones are here. */
  async arrange(arrangement: Arrangement): Promise<void> {
    const generation = ++this.#generation;
    const count = await this.#result.arrange(arrangement);
    const rows = await this.#result.rows(0, blockSize);
    if (generation !== this.#generation) return;
    this.#blocks.clear();
    this.#blocks.set(0, rows);
    this.#count = count;
    this.#notify();
  }

  /** Asks for the rows around these, if they are not here yet. */
  need(from: number, to: number): void {
    const [first, last] = [Math.floor(from / blockSize), Math.floor(to / blockSize)];
    // One more in each direction: the rows are there before they are scrolled to.
    for (let block = Math.max(0, first - 1); block <= last + 1; block++) {
      if (block * blockSize < this.#count && !this.#blocks.has(block)) {
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
    const rows = await this.#result.rows(block * blockSize, (block + 1) * blockSize);
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

/** A result that is replaced while its rows are on their way answers no more, and nobody waits for it. */
export const ignoreClosed = (): void => {};
