import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

interface ParquetTable {
  columns: { name: string; type: string }[];
  /** The values of each column as DuckDB writes them as text; bytes in base64. */
  values: (string | null)[][];
}

export interface ParquetReader {
  read(file: Uint8Array): Promise<ParquetTable>;
  /** What DuckDB makes of these texts as values of the type, as `read` writes them. */
  castTexts(texts: readonly (string | null)[], type: string): Promise<(string | null)[]>;
  close(): void;
}

/** Reads Parquet files with DuckDB. */
export async function createParquetReader(): Promise<ParquetReader> {
  const folder = mkdtempSync(join(tmpdir(), "querybell-parquet-"));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  let files = 0;
  const rows = async (sql: string, values: string[] = []) =>
    (await connection.runAndReadAll(sql, values)).getRowsJson().map((row) => row.map(toText));
  return {
    async read(file) {
      // Each in a separate file: DuckDB keeps what it read of a path, and may not notice that it was overwritten.
      const path = join(folder, `${files++}.parquet`);
      writeFileSync(path, file);
      const described = await rows(`DESCRIBE FROM '${path}'`);
      const columns = described.map(([name, type]) => ({ name: name ?? "", type: type ?? "" }));
      const texts = columns.map(({ type }, at) => textOf(`#${at + 1}`, type));
      const found = await rows(`SELECT ${texts.join(", ")} FROM '${path}'`);
      return { columns, values: columns.map((_, at) => found.map((row) => row[at] ?? null)) };
    },
    async castTexts(texts, type) {
      const value = type === "BLOB" ? "from_base64(text)" : `CAST(text AS ${type})`;
      const list = await rows(
        `SELECT ${textOf(value, type)} FROM (SELECT unnest(CAST($1::JSON AS VARCHAR[])) AS text)`,
        [JSON.stringify(texts)],
      );
      return list.map(([text]) => text ?? null);
    },
    close() {
      connection.closeSync();
      instance.closeSync();
      rmSync(folder, { recursive: true });
    },
  };
}

const textOf = (value: string, type: string): string =>
  type === "BLOB" ? `to_base64(${value})` : `CAST(${value} AS VARCHAR)`;

const toText = (value: unknown): string | null => (value === null ? null : String(value));
