import type { DuckdbConnection } from "../duckdb/driver.ts";
import { type OwnSql, sql, sqlName, sqlString, sqlType } from "../duckdb/own-sql.ts";
import { checkColumns } from "./check-columns.ts";
import { castText, holdsText } from "./exact-text.ts";
import type { FileSource } from "./file-source.ts";
import { UploadRefused } from "./upload-tasks.ts";

export async function openParquet(connection: DuckdbConnection, path: string): Promise<FileSource> {
  const from = sql`read_parquet(${sqlString(path)})`;
  const described = (await connection.runAndReadAll(sql`DESCRIBE FROM ${from}`)).getRows();
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
  checkColumns(columns.map(({ name }) => name));
  await refuseLossyColumns(connection, path);
  const value = (column: number) => sqlName(columns[column]?.name ?? "");
  const typeOf = (column: number) => columns[column]?.type ?? "";
  const text = (column: number) => sql`CAST(${value(column)} AS VARCHAR)`;
  return {
    names: columns.map(({ name }) => name),
    from,
    ownTypes: columns.map(({ type }) => type),
    textType: "VARCHAR",
    text,
    look: () => sql`0`,
    holds(column, target) {
      const type = typeOf(column);
      if (target.type === type) return sql`true`;
      return isText(type) ? holdsText(target, text(column)) : holdsValue(value(column), type, target.type);
    },
    cast(column, target) {
      if (target.type === typeOf(column)) return value(column);
      return isText(typeOf(column))
        ? castText(target, text(column))
        : sql`CAST(${value(column)} AS ${sqlType(target.type)})`;
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
function holdsValue(value: OwnSql, type: string, target: string): OwnSql {
  const isOfOneFamily = families.some((family) => family.test(type) && family.test(target));
  if (!isOfOneFamily && target !== "VARCHAR" && target !== "JSON") return sql`false`;
  return sql`coalesce(TRY_CAST(TRY_CAST(${value} AS ${sqlType(target)}) AS ${sqlType(type)}) IS NOT DISTINCT FROM ${value}, false)`;
}

/** Refuses what DuckDB reads with fewer digits than the file has. */
async function refuseLossyColumns(connection: DuckdbConnection, path: string): Promise<void> {
  const reader = await connection.runAndReadAll(
    sql`SELECT name, CASE WHEN converted_type = 'DECIMAL' THEN 'decimals of ' || precision || ' digits, and at most 38 are possible'
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
