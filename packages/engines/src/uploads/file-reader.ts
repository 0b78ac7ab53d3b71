import { columnTypes } from "@querybell/domain/upload-formats";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlList, sqlName, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { openCsv } from "./csv-source.ts";
import type { FileSource } from "./file-source.ts";
import { openJsonLines } from "./json-lines-source.ts";
import { openParquet } from "./parquet-source.ts";
import { type ChosenTypes, type Column, type UploadedFile, UploadRefused } from "./upload-tasks.ts";

/** Reads the names of the columns of a file. Refuses those that no table can have. */
export function openFile(connection: DuckdbConnection, { path, format }: UploadedFile): Promise<FileSource> {
  switch (format) {
    case "csv":
      return openCsv(path);
    case "json_lines":
      return openJsonLines(connection, path);
    case "parquet":
      return openParquet(connection, path);
  }
}

/** The types that a user chose, by the positions of their columns. */
export function positionTypes(source: FileSource, types: ChosenTypes): Map<number, { type: string }> {
  return new Map(
    Object.entries(types).map(([name, type]) => {
      const column = source.names.indexOf(name);
      if (column === -1) {
        throw new UploadRefused("unreadable", `The file has no column ${name}. Leave out its type.`);
      }
      // The type becomes part of a statement without quotes.
      if (!columnTypes.some((one) => one === type)) {
        throw new UploadRefused("unreadable", `${type} is no type that can be chosen.`);
      }
      return [column, { type }];
    }),
  );
}

/** A `SELECT` of all columns in the types that were decided for them. */
export function selectColumns(source: FileSource, columns: readonly Column[]): TrustedSql {
  const values = columns.map(
    (column, position) => sql`${source.cast(position, column)} AS ${sqlName(column.name)}`,
  );
  return sql`SELECT ${sqlList(values)} FROM ${source.from}`;
}
