import { constants, zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { writeColumn } from "hyparquet-writer/src/column.js";
import type { ParquetColumn } from "./column-types.ts";

// All of it can be in one column, whose encoding then blocks the event loop for about 50 ms.
const groupCharacters = 2 * 1024 ** 2;
// Each column of each row group costs room in the footer, which is held in memory until the end.
const charactersPerColumn = 16 * 1024;
const maxGroupValues = 500_000;
const pageBytes = 1024 ** 2;

// Node's own compression is faster than the writer's, which is in JavaScript.
const codec = "ZSTD";
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressors = { [codec]: (bytes: Uint8Array) => zstdCompressSync(bytes, compression) };

/** Writes a Parquet file in row groups. Only the values of one group are in memory. */
export class RowGroupWriter {
  readonly #columns: readonly ParquetColumn[];
  readonly #root: SchemaElement;
  readonly #bytes = new ByteWriter();
  readonly #parquet: ParquetWriter;
  #values: unknown[][];
  #rowCount = 0;
  #characters = 0;

  constructor(columns: readonly ParquetColumn[]) {
    this.#columns = columns;
    this.#values = columns.map(() => []);
    this.#root = { name: "root", num_children: columns.length };
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: [this.#root, ...columns.map(({ element }) => element)],
    });
  }

  /** `characters` is the length of the row's JSON. */
  add(row: readonly unknown[], characters: number): void {
    for (const [at, { encode }] of this.#columns.entries()) this.#values[at]?.push(encode(row[at] ?? null));
    this.#rowCount++;
    this.#characters += characters;
  }

  get isFull(): boolean {
    const width = this.#columns.length;
    return (
      this.#characters >= Math.max(groupCharacters, width * charactersPerColumn) ||
      this.#rowCount * width >= Math.max(maxGroupValues, width * 1000)
    );
  }

  /** Yields the bytes of the rows that were added, after each column. */
  *writeGroup(): Generator<Uint8Array> {
    if (this.#rowCount === 0) return;
    const start = this.#bytes.offset;
    const chunks = [];
    for (const [at, { element }] of this.#columns.entries()) {
      const values = this.#values[at] ?? [];
      this.#values[at] = [];
      chunks.push(this.#writeColumn(element, values));
      yield this.#takeBytes();
    }
    this.#parquet.row_groups.push({
      columns: chunks,
      num_rows: BigInt(this.#rowCount),
      total_byte_size: BigInt(this.#bytes.offset - start),
    });
    this.#parquet.num_rows += BigInt(this.#rowCount);
    [this.#rowCount, this.#characters] = [0, 0];
  }

  /** Returns the footer. */
  end(): Uint8Array {
    void this.#parquet.finish();
    return this.#takeBytes();
  }

  /** What `ParquetWriter.write` does for all columns of a group at once, which would block the event loop for long. */
  #writeColumn(element: SchemaElement, values: unknown[]) {
    const { converted_type: converted, ...physical } = element;
    const { chunk } = writeColumn({
      writer: this.#bytes,
      column: {
        columnName: element.name,
        // JSON is encoded already: the writer would lose a key named __proto__.
        element: converted === "JSON" ? physical : element,
        schemaPath: [this.#root, element],
        codec,
        compressors,
        // Readers could not trust them: NaN has no order.
        stats: false,
        pageSize: pageBytes,
        columnIndex: false,
        offsetIndex: false,
      },
      pageData: {
        values,
        definitionLevels: values.map((value) => (value === null ? 0 : 1)),
        repetitionLevels: [],
        maxDefinitionLevel: 1,
      },
    });
    return chunk;
  }

  #takeBytes(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}
