import type { DuckDBConnection } from "@duckdb/node-api";
import { checkColumns } from "./check-columns.ts";
import { castText, holdsText } from "./exact-text.ts";
import type { FileSource } from "./file-source.ts";
import { sqlName, sqlString } from "./sql-text.ts";
import { UploadRefused } from "./upload-tasks.ts";

export async function openParquet(connection: DuckDBConnection, path: string): Promise<FileSource> {
  const from = `read_parquet(${sqlString(path)})`;
  const described = (await connection.runAndReadAll(`DESCRIBE FROM ${from}`)).getRows();
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
  checkColumns(columns.map(({ name }) => name));
  await refuseLossyColumns(connection, path);
  const value = (column: number) => sqlName(columns[column]?.name ?? "");
  const typeOf = (column: number) => columns[column]?.type ?? "";
  const text = (column: number) => `CAST(${value(column)} AS VARCHAR)`;
  return {
    names: columns.map(({ name }) => name),
    from,
    ownTypes: columns.map(({ type }) => type),
    textType: "VARCHAR",
    text,
    look: () => "0",
    holds(column, target) {
      const type = typeOf(column);
      if (target.type === type) return "true";
      return isText(type) ? holdsText(target, text(column)) : holdsValue(value(column), type, target.type);
    },
    cast(column, target) {
      if (target.type === typeOf(column)) return value(column);
      return isText(typeOf(column))
        ? castText(target, text(column))
        : `CAST(${value(column)} AS ${target.type})`;
    },
    placeOf: async (row) => `Row ${row}`,
  };
}

const families = [
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\))$/,
  /^(?:DATE|TIMESTAMP(?:_S|_MS|_NS)?)$/,
  /^TIME(?:_NS)?$/,
] as const;

const isText = (type: string): boolean => /^(?:VARCHAR|ENUM\()/.test(type);

/** Whether a value becomes the same one again when it is cast and cast back. Types of different meanings do not mix. */
function holdsValue(value: string, type: string, target: string): string {
  const isOfOneFamily = families.some((family) => family.test(type) && family.test(target));
  if (!isOfOneFamily && target !== "VARCHAR" && target !== "JSON") return "false";
  return `coalesce(TRY_CAST(TRY_CAST(${value} AS ${target}) AS ${type}) IS NOT DISTINCT FROM ${value}, false)`;
}

/** Refuses what DuckDB reads with fewer digits than the file has. */
async function refuseLossyColumns(connection: DuckDBConnection, path: string): Promise<void> {
  const reader = await connection.runAndReadAll(
    `SELECT name, CASE WHEN converted_type = 'DECIMAL' THEN 'decimals of ' || precision || ' digits, and at most 38 are possible'
       WHEN type = 'INT96' THEN 'timestamps of the type INT96, whose nanoseconds would be lost' END AS reason
     FROM parquet_schema(${sqlString(path)})
     WHERE (converted_type = 'DECIMAL' AND precision > 38) OR type = 'INT96' LIMIT 1`,
  );
  const [[name, reason] = []] = reader.getRows();
  if (name !== undefined) {
    throw new UploadRefused(
      "unreadable",
      `The column ${name} has ${reason}. Write it in another type, and upload the file again.`,
    );
  }
}
