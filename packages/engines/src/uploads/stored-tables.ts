import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlName, sqlString, type TrustedSql } from "../duckdb/trusted-sql.ts";
import type { FileSource } from "./file-source.ts";
import { type Column, DateOrder, type StoredTable } from "./upload-tasks.ts";

/** The name of a table as it is stored. Names do not distinguish upper and lower case. */
export async function findTable(connection: DuckdbConnection, table: string): Promise<string | undefined> {
  const [found] = await readRows(
    connection,
    sql`SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' AND lower(table_name) = lower(${sqlString(table)})`,
  );
  return found?.[0];
}

export async function readColumns(connection: DuckdbConnection, table: string): Promise<Column[]> {
  const rows = await readRows(
    connection,
    sql`SELECT column_name, data_type, coalesce(comment, '') FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = ${sqlString(table)} ORDER BY column_index`,
  );
  return rows.map(([name = "", type = "", comment]) => {
    const { data: dateOrder } = DateOrder.safeParse(comment);
    return { name, type, ...(dateOrder && { dateOrder }) };
  });
}

const unitNote = "unit: ";
/** No unit is called so. */
const noUnit = "none";

/**
 * The units of numbers that were read without them, by the names of columns. Each is a comment on its column, so that
 * people see it and it is copied, restored and dropped with the table.
 */
export async function readUnits(connection: DuckdbConnection, table: string): Promise<Map<string, string>> {
  const rows = await readRows(
    connection,
    sql`SELECT column_name, substr(comment, ${unitNote.length + 1}) FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = ${sqlString(table)} AND starts_with(comment, ${sqlString(unitNote)})`,
  );
  return new Map(rows.map(([name = "", unit = ""]) => [name, unit === noUnit ? "" : unit]));
}

export async function rememberUnits(
  connection: DuckdbConnection,
  table: string,
  { names, units = new Map() }: Pick<FileSource, "names" | "units">,
): Promise<void> {
  for (const [column, unit] of units) {
    await connection.run(
      sql`COMMENT ON COLUMN ${sqlName(table)}.${sqlName(names[column] ?? "")} IS ${sqlString(unitNote + (unit || noUnit))}`,
    );
  }
}

export async function readTable(connection: DuckdbConnection, table: string): Promise<StoredTable | null> {
  const name = await findTable(connection, table);
  if (name === undefined) return null;
  const [[rowCount, bytes] = []] = await readRows(
    connection,
    sql`SELECT (SELECT count(*) FROM ${sqlName(name)}), count(DISTINCT block_id) * (SELECT any_value(block_size) FROM pragma_database_size())
     FROM pragma_storage_info(${sqlString(name)}) WHERE persistent`,
  );
  const columns = await readColumns(connection, name);
  return { name, columns, rowCount: Number(rowCount), bytes: Number(bytes) };
}

export async function readUsedBytes(connection: DuckdbConnection): Promise<number> {
  const [[bytes] = []] = await readRows(
    connection,
    sql`SELECT used_blocks * block_size FROM pragma_database_size() WHERE database_name = current_database()`,
  );
  return Number(bytes);
}

export async function readRows(connection: DuckdbConnection, query: TrustedSql): Promise<string[][]> {
  const reader = await connection.runAndReadAll(query);
  return reader.getRows().map((row) => row.map(String));
}
