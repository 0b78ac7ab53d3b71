import { type ResultTable, readTable } from "./result-table.ts";

/** Collects the pieces of the stored results that a host computes from. */
export class ResultInputs {
  readonly #pieces: Uint8Array[][] = [];
  readonly #whole = Promise.withResolvers<void>();

  /** `position` is the index of the result that `bytes` belong to. */
  add(position: number, bytes: Uint8Array): void {
    this.#pieces[position] ??= [];
    this.#pieces[position].push(bytes);
  }

  /** All pieces have been added. */
  end(): void {
    this.#whole.resolve();
  }

  /** Waits for the end. Parses one result after the other, so that at most one is in memory both raw and parsed. */
  async tables(cuts: readonly boolean[]): Promise<ResultTable[]> {
    await this.#whole.promise;
    return cuts.map((cut, position) => {
      const table = readTable(Buffer.concat(this.#pieces[position] ?? []), cut);
      delete this.#pieces[position];
      return table;
    });
  }
}
