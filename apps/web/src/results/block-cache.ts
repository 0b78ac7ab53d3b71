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
export class BlockCache<Block> {
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
