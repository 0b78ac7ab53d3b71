import { type ResultTable, readTable } from "./result-table.ts";

/** The stored results that a host is sent in pieces before it computes something of them. */
export class ResultInputs {
  readonly #pieces: Uint8Array[][] = [];
  readonly #whole = Promise.withResolvers<void>();

  /** `bytes` belong to the result with this position. */
  add(position: number, bytes: Uint8Array): void {
    this.#pieces[position] ??= [];
    this.#pieces[position].push(bytes);
  }

  /** Nothing more is to come. */
  end(): void {
    this.#whole.resolve();
  }

  /** Waits for the end, and reads one result after the other: no more than one is there in two forms. */
  async tables(cuts: readonly boolean[]): Promise<ResultTable[]> {
    await this.#whole.promise;
    return cuts.map((cut, position) => {
      const table = readTable(Buffer.concat(this.#pieces[position] ?? []), cut);
      delete this.#pieces[position];
      return table;
    });
  }
}
