import { Field } from "@querybell/domain/results";
import { z } from "zod";

const [quote, backslash, comma, open, close, openBrace, closeBrace] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
];
/** More would take more memory than a host has for two results. */
const maxCells = 24_000_000;

/**
 * The JSON of a result, with the places of its cells. Nothing is parsed but the fields: a cell is compared as its text,
 * and 1,000,000 rows take a third of the memory that values would.
 */
export class JsonTable {
  readonly fields: readonly Field[];
  readonly rowCount: number;
  readonly bytes: Buffer;
  /** For each row the beginning of each cell, and the byte after the end of the last one plus one. */
  readonly #places: Uint32Array;

  /** Throws if it is not a result with so many rows: an engine host wrote it. */
  constructor(bytes: Buffer, rowCount: number) {
    this.bytes = bytes;
    this.rowCount = rowCount;
    const prefix = '{"fields":';
    if (bytes.toString("latin1", 0, prefix.length) !== prefix) throw notResult();
    const fieldsEnd = endOfValue(bytes, prefix.length);
    this.fields = z.array(Field).parse(JSON.parse(bytes.toString("utf8", prefix.length, fieldsEnd)));
    const rowsPrefix = ',"rows":[';
    if (bytes.toString("latin1", fieldsEnd, fieldsEnd + rowsPrefix.length) !== rowsPrefix) throw notResult();
    if (rowCount * (this.fields.length + 1) > maxCells) throw new TooManyCells();
    this.#places = new Uint32Array(rowCount * (this.fields.length + 1));
    this.#findCells(fieldsEnd + rowsPrefix.length);
  }

  #findCells(start: number): void {
    const { bytes } = this;
    const width = this.fields.length + 1;
    let at = start;
    let place = 0;
    for (let row = 0; row < this.rowCount; row++) {
      if (bytes[at] !== open) throw notResult();
      at++;
      for (let cell = 0; cell < width - 1; cell++) {
        this.#places[place++] = at;
        at = endOfValue(bytes, at);
        if (bytes[at] !== (cell === width - 2 ? close : comma)) throw notResult();
        at++;
      }
      this.#places[place++] = at;
      if (width === 1) at++;
      // The comma between rows, or the end of the list.
      if (bytes[at] !== (row === this.rowCount - 1 ? close : comma)) throw notResult();
      at++;
    }
    if (this.rowCount === 0 && bytes[at] !== close) throw notResult();
  }

  cellStart(row: number, column: number): number {
    return this.#places[row * (this.fields.length + 1) + column] ?? 0;
  }

  cellEnd(row: number, column: number): number {
    return (this.#places[row * (this.fields.length + 1) + column + 1] ?? 1) - 1;
  }

  /** The JSON of a cell. */
  cellText(row: number, column: number): string {
    return this.bytes.toString("utf8", this.cellStart(row, column), this.cellEnd(row, column));
  }
}

export class TooManyCells extends Error {}

const notResult = () => new Error("This is not the JSON of a result with its rows.");

/** The index after the JSON value that begins at an index. */
function endOfValue(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
    } else if (byte === open || byte === openBrace) depth++;
    else if (byte === close || byte === closeBrace) {
      if (depth === 0) return at;
      depth--;
    } else if (byte === comma && depth === 0) return at;
  }
  throw notResult();
}
