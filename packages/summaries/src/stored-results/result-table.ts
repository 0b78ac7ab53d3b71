import { gunzipSync } from "node:zlib";
import { Field, type JsonValue } from "@querybell/domain/results";
import { z } from "zod";

/** The largest JSON of one result that can be read. A host must have room for two. */
export const maxReadableBytes = 64 * 1024 ** 2;

/** A whole result. */
export interface ResultTable {
  fields: readonly Field[];
  rows: readonly (readonly JsonValue[])[];
  /** Whether a limit truncated it. */
  cut: boolean;
  /** Whether a model has named its columns. They are written in quotation marks then, so that no name reads as a claim. */
  isNamedByModel?: boolean | undefined;
}

/** The results that sentences are about, of this run and of the last one. */
export interface Tables {
  now: ResultTable;
  /** Of the run before, if it can be compared and is not the same. */
  before: ResultTable | null;
}

const StoredResult = z.object({
  fields: z.array(Field),
  // Values are not validated one by one: an engine host wrote them, and there can be millions.
  rows: z.custom<JsonValue[][]>(Array.isArray),
});

/** Parses the JSON of a result. Blocks the event loop, so only engine hosts may call it. */
export const parseTable = (json: Buffer, cut: boolean): ResultTable => ({
  ...StoredResult.parse(JSON.parse(json.toString())),
  cut,
});

/** Parses a stored result, which is gzipped JSON. */
const readTable = (gzippedJson: Uint8Array, cut: boolean): ResultTable =>
  parseTable(gunzipSync(gzippedJson, { maxOutputLength: maxReadableBytes }), cut);

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

  /** Waits for the end. Each result as it was sent. */
  async whole(): Promise<Buffer[]> {
    await this.#whole.promise;
    return this.#pieces
      .splice(0)
      .map((pieces) => (pieces[1] ? Buffer.concat(pieces) : Buffer.from(pieces[0] ?? [])));
  }

  /** Waits for the end. Parses a result each time it is asked for, so that only that one is in memory. */
  async reader(cuts: readonly boolean[]): Promise<(position: number) => ResultTable> {
    await this.#whole.promise;
    return (position) => readTable(Buffer.concat(this.#pieces[position] ?? []), cuts[position] ?? false);
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
