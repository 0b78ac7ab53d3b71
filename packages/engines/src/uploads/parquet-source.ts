import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlName, sqlString, sqlType, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { castText, holdsText } from "./exact-values.ts";
import { checkColumns, type FileSource } from "./file-source.ts";
import { UploadRefused } from "./upload-tasks.ts";

const maxDigits = 38;

export async function openParquet(connection: DuckdbConnection, path: string): Promise<FileSource> {
  const from = sql`read_parquet(${sqlString(path)})`;
  const described = (await connection.runAndReadAll(sql`DESCRIBE FROM ${from}`)).getRows();
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
  await checkNames(connection, path);
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
      if (goesByText(type, target.type)) return holdsText(target, text(column));
      return holdsValue(value(column), type, target.type);
    },
    cast(column, target) {
      if (target.type === typeOf(column)) return value(column);
      if (goesByText(typeOf(column), target.type)) return castText(target, text(column));
      return sql`CAST(${value(column)} AS ${sqlType(target.type)})`;
    },
    placeOf: async (row) => `Row ${row}`,
  };
}

const families = [
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\))$/,
  /^(?:DATE|TIMESTAMP(?:_S|_MS|_NS)?)$/,
  /^TIME(?:_NS)?$/,
] as const;

/** DuckDB's casts between DECIMAL and DOUBLE are not exact, so their texts are compared. */
function goesByText(type: string, target: string): boolean {
  const isDecimal = (one: string) => one.startsWith("DECIMAL(");
  const isFloat = (one: string) => one === "FLOAT" || one === "DOUBLE";
  const mixes = (isDecimal(type) && isFloat(target)) || (isFloat(type) && isDecimal(target));
  return mixes || /^(?:VARCHAR|ENUM\()/.test(type);
}

/** Whether a cast to the target and back keeps the value. Types of different meanings are never cast. */
function holdsValue(value: TrustedSql, type: string, target: string): TrustedSql {
  const isOfOneFamily = families.some((family) => family.test(type) && family.test(target));
  if (!isOfOneFamily && target !== "VARCHAR" && target !== "JSON") return sql`false`;
  return sql`coalesce(TRY_CAST(TRY_CAST(${value} AS ${sqlType(target)}) AS ${sqlType(type)}) IS NOT DISTINCT FROM ${value}, false)`;
}

/** Checks the names as the file has them. DuckDB renames columns, and fields of structs, that have no name or one twice. */
async function checkNames(connection: DuckdbConnection, path: string): Promise<void> {
  const reader = await connection.runAndReadAll(
    sql`SELECT name, coalesce(num_children, 0) FROM parquet_schema(${sqlString(path)})`,
  );
  // Each element is followed by its children.
  const elements = reader
    .getRows()
    .map(([name, children]) => ({ name: String(name), children: Number(children) }));
  const open: { names: string[]; missing: number }[] = [];
  for (const { name, children } of elements) {
    const parent = open.at(-1);
    parent?.names.push(name);
    if (parent) parent.missing--;
    if (children > 0) open.push({ names: [], missing: children });
    for (let last = open.at(-1); last?.missing === 0; last = open.at(-1)) {
      checkColumns(last.names);
      open.pop();
    }
  }
}

/** Refuses what DuckDB reads with fewer digits than the file has. */
async function refuseLossyColumns(connection: DuckdbConnection, path: string): Promise<void> {
  const reader = await connection.runAndReadAll(
    sql`SELECT name, coalesce(converted_type = 'DECIMAL' OR logical_type LIKE 'DecimalType%', false)
     FROM parquet_schema(${sqlString(path)})
     WHERE (converted_type = 'DECIMAL' AND precision > ${maxDigits})
       OR TRY_CAST(regexp_extract(logical_type, 'DecimalType\(.*precision=([0-9]+)', 1) AS INTEGER) > ${maxDigits}
       OR (converted_type = 'DECIMAL' AND scale > precision)
       OR type = 'INT96'
       OR (contains(logical_type, 'NANOS=NanoSeconds') AND NOT starts_with(logical_type, 'TimestampType(isAdjustedToUTC=0'))
     LIMIT 1`,
  );
  const [[name, isDecimal] = []] = reader.getRows();
  if (name === undefined) return;
  throw new UploadRefused(
    "unreadable",
    isDecimal
      ? `The column ${name} has decimals of more than ${maxDigits} digits, or with more of them behind the point than in all. Write it as text, and upload the file again.`
      : `The column ${name} has nanoseconds, which would be lost: there is no type for them with a time zone, nor for INT96 or a time of day in Parquet. Write it with microseconds, and upload the file again.`,
  );
}
