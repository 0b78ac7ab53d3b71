import type { DuckdbConnection } from "../duckdb/driver.ts";
import { type OwnSql, sql, sqlList, sqlName, sqlString } from "../duckdb/own-sql.ts";
import { describeFailure } from "./describe-failure.ts";
import { type FileColumn, openFile } from "./file-reader.ts";
import { openWorkspace } from "./open-workspace.ts";
import { type ChangedTables, type StoredTable, type TableChange, UploadRefused } from "./upload-tasks.ts";

interface ChangeOptions {
  /** A copy for this change alone. If the change fails, the copy is deleted. */
  database: string;
  change: TableChange;
  memoryBytes: number;
}

/** Makes one change in a database file and returns the changed table. Throws `UploadRefused`. */
export async function changeTables({ database, change, memoryBytes }: ChangeOptions): Promise<ChangedTables> {
  const file = change.kind === "import" ? change.file : undefined;
  const workspace = await openWorkspace({ database, readable: file ? [file.path] : [], memoryBytes });
  try {
    const { connection } = workspace;
    if (change.kind === "drop") await dropTable(connection, change.table);
    else await importTable(connection, change);
    await connection.run(sql`CHECKPOINT`);
    return { table: await readTable(connection, change.table), usedBytes: await readUsedBytes(connection) };
  } catch (error) {
    throw await describeFailure(error, file);
  } finally {
    workspace.close();
  }
}

async function dropTable(connection: DuckdbConnection, table: string): Promise<void> {
  const found = await findTable(connection, table);
  if (found === undefined) {
    throw new UploadRefused(
      "not_found",
      `There is no table ${table}. List the tables to see which there are.`,
    );
  }
  await connection.run(sql`DROP TABLE ${sqlName(found)}`);
}

async function importTable(
  connection: DuckdbConnection,
  { mode, table, file, types }: Extract<TableChange, { kind: "import" }>,
): Promise<void> {
  await refuseKeyword(connection, table);
  const existing = await findTable(connection, table);
  if (mode === "append") {
    if (existing === undefined) {
      throw new UploadRefused(
        "not_found",
        `There is no table ${table} to append to. Create it with this file.`,
      );
    }
    return appendTo(connection, existing, { file, types });
  }
  if (existing !== undefined && mode === "create") {
    throw new UploadRefused(
      "conflict",
      `There is a table ${existing} already. Replace it, append to it, or choose another name.`,
    );
  }
  const { columns, select } = await openFile(connection, file, types);
  if (existing !== undefined) {
    await connection.run(sql`DROP TABLE ${sqlName(existing)}`);
    // The new rows take the place of the old ones in the file.
    await connection.run(sql`CHECKPOINT`);
  }
  await connection.run(sql`CREATE TABLE ${sqlName(table)} AS ${select(columns)}`);
}

/** Columns are matched by name. Both must have the same ones: a misspelled column would be lost otherwise. */
async function appendTo(
  connection: DuckdbConnection,
  table: string,
  { file, types }: Pick<Extract<TableChange, { kind: "import" }>, "file" | "types">,
): Promise<void> {
  const target = await readColumns(connection, table);
  const { columns, select } = await openFile(connection, file, types);
  const lower = (list: readonly FileColumn[]) => new Set(list.map(({ name }) => name.toLowerCase()));
  const [inTable, inFile] = [lower(target), lower(columns)];
  const extra = columns.find(({ name }) => !inTable.has(name.toLowerCase()));
  if (extra) {
    throw new UploadRefused(
      "unreadable",
      `The file has a column ${extra.name}, which the table ${table} does not have. Rename or remove it, or replace the table.`,
    );
  }
  const missing = target.find(({ name }) => !inFile.has(name.toLowerCase()));
  if (missing) {
    throw new UploadRefused(
      "unreadable",
      `The file has no column ${missing.name}, which the table ${table} has. Add it to the file, or replace the table.`,
    );
  }
  const typeOf = new Map(target.map(({ name, type }) => [name.toLowerCase(), type]));
  const read = columns.map(({ name, type }) => ({ name, type: typeOf.get(name.toLowerCase()) ?? type }));
  const names = sqlList(read.map(({ name }) => sqlName(name)));
  await connection.run(sql`INSERT INTO ${sqlName(table)} (${names}) ${select(read)}`);
}

async function refuseKeyword(connection: DuckdbConnection, table: string): Promise<void> {
  const found = await readRows(
    connection,
    sql`SELECT 1 FROM duckdb_keywords() WHERE keyword_category = 'reserved' AND keyword_name = lower(${sqlString(table)})`,
  );
  if (found.length > 0) {
    throw new UploadRefused("unreadable", `${table} is a word of SQL. Choose another name for the table.`);
  }
}

async function findTable(connection: DuckdbConnection, table: string): Promise<string | undefined> {
  const [found] = await readRows(
    connection,
    sql`SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' AND lower(table_name) = lower(${sqlString(table)})`,
  );
  return found?.[0];
}

async function readColumns(connection: DuckdbConnection, table: string): Promise<FileColumn[]> {
  const rows = await readRows(
    connection,
    sql`SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = ${sqlString(table)} ORDER BY column_index`,
  );
  return rows.map(([name = "", type = ""]) => ({ name, type }));
}

async function readTable(connection: DuckdbConnection, table: string): Promise<StoredTable | null> {
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

async function readUsedBytes(connection: DuckdbConnection): Promise<number> {
  const [[bytes] = []] = await readRows(
    connection,
    sql`SELECT used_blocks * block_size FROM pragma_database_size() WHERE database_name = current_database()`,
  );
  return Number(bytes);
}

async function readRows(connection: DuckdbConnection, query: OwnSql): Promise<string[][]> {
  const reader = await connection.runAndReadAll(query);
  return reader.getRows().map((row) => row.map(String));
}
