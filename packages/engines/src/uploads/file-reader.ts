import { open } from "node:fs/promises";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { type OwnSql, sql, sqlList, sqlMap, sqlName, sqlString, sqlType } from "../duckdb/own-sql.ts";
import { checkColumns } from "./check-columns.ts";
import { type CsvHeader, readCsvHeader } from "./csv-header.ts";
import { type ChosenTypes, type UploadedFile, UploadRefused } from "./upload-tasks.ts";

const headerBytes = 1024 ** 2;
const sampledLines = 100_000;

export interface FileColumn {
  name: string;
  type: string;
}

/** An uploaded file whose columns are known. */
export interface FileReader {
  columns: FileColumn[];
  /** A `SELECT` of the named columns, each in the given type. */
  select(columns: readonly FileColumn[]): OwnSql;
}

/** Reads the columns of a file. Guesses the types that the user did not choose. Refuses columns that no table can have. */
export async function openFile(
  connection: DuckdbConnection,
  file: UploadedFile,
  types: ChosenTypes,
): Promise<FileReader> {
  const reader = await {
    csv: openCsv,
    json_lines: openJsonLines,
    parquet: openParquet,
  }[file.format](connection, file.path);
  checkColumns(reader.columns.map(({ name }) => name));
  const unknown = Object.keys(types).find((name) => !reader.columns.some((column) => column.name === name));
  if (unknown !== undefined) {
    throw new UploadRefused("unreadable", `The file has no column ${unknown}. Leave out its type.`);
  }
  const columns = reader.columns.map(({ name, type }) => ({ name, type: types[name] ?? type }));
  return { ...reader, columns };
}

async function openCsv(connection: DuckdbConnection, path: string): Promise<FileReader> {
  const header = readCsvHeader(await readStart(path));
  checkColumns(header.names);
  const texts = header.names.map((name) => [name, "VARCHAR"] as const);
  const guessed = await describe(connection, sql`FROM read_csv(${csvOptions(path, header)})`).catch(
    async (error) => {
      // The guess does not say which line is broken. Reading everything as text does.
      await connection.run(
        sql`SELECT count(*) FROM read_csv(${csvOptions(path, header, texts)}, auto_detect = false)`,
      );
      throw error;
    },
  );
  return {
    columns: guessed,
    select: (columns) => {
      const given = columns.map(({ name, type }) => [name, type] as const);
      const names = sqlList(columns.map(({ name }) => sqlName(name)));
      return sql`SELECT ${names} FROM read_csv(${csvOptions(path, header)}, types = ${sqlMap(given)})`;
    },
  };
}

/** RFC 4180: an empty value is NULL, one in quotes is an empty text. */
const csvOptions = (
  path: string,
  { delimiter, names }: CsvHeader,
  columns?: readonly (readonly [string, string])[],
): OwnSql =>
  sqlList([
    sqlString(path),
    sql`delim = ${sqlString(delimiter)}`,
    sql`quote = '"', escape = '"', header = true, skip = 0, comment = ''`,
    sql`strict_mode = true, null_padding = false, allow_quoted_nulls = false`,
    sql`sample_size = ${sampledLines}`,
    columns ? sql`columns = ${sqlMap(columns)}` : sql`names = [${sqlList(names.map(sqlString))}]`,
  ]);

async function openJsonLines(connection: DuckdbConnection, path: string): Promise<FileReader> {
  // All lines are sampled: a key that only the last one has would be lost otherwise.
  const options = sql`${sqlString(path)}, format = 'newline_delimited', records = 'true'`;
  const guessed = await describe(
    connection,
    sql`FROM read_json(${options}, sample_size = -1, maximum_depth = 2, map_inference_threshold = -1)`,
  );
  return {
    // Objects and lists stay as they are, and are read with the operators for JSON.
    columns: guessed.map(({ name, type }) => ({ name, type: /[[(]/.test(type) ? "JSON" : type })),
    select: (columns) =>
      sql`SELECT * FROM read_json(${options}, columns = ${sqlMap(columns.map(({ name, type }) => [name, type]))})`,
  };
}

async function openParquet(connection: DuckdbConnection, path: string): Promise<FileReader> {
  const source = sql`FROM read_parquet(${sqlString(path)})`;
  const columns = await describe(connection, source);
  const typeIn = new Map(columns.map(({ name, type }) => [name, type]));
  return {
    columns,
    select: (wanted) => {
      const values = wanted.map(({ name, type }) =>
        typeIn.get(name) === type
          ? sqlName(name)
          : sql`CAST(${sqlName(name)} AS ${sqlType(type)}) AS ${sqlName(name)}`,
      );
      return sql`SELECT ${sqlList(values)} ${source}`;
    },
  };
}

async function describe(connection: DuckdbConnection, source: OwnSql): Promise<FileColumn[]> {
  const reader = await connection.runAndReadAll(sql`DESCRIBE ${source}`);
  return reader.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }));
}

async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
