import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlList, sqlName, sqlString, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { fillSampleShop } from "../sample-shop/create-sample-shop.ts";
import { type DecidedColumns, decideColumns } from "./decide-columns.ts";
import { describeFailure } from "./describe-failure.ts";
import type { ValueType } from "./exact-values.ts";
import { openFile, positionTypes, type ScratchFiles, scratchFiles, selectColumns } from "./file-reader.ts";
import type { FileSource } from "./file-source.ts";
import { findQuestions, refuseQuestions } from "./open-questions.ts";
import { openWorkspace, type Workspace } from "./open-workspace.ts";
import { chooseAnother } from "./preview-file.ts";
import {
  type ChangedTables,
  type Column,
  DateOrder,
  type StoredTable,
  type TableChange,
  UploadRefused,
} from "./upload-tasks.ts";

type Import = Extract<TableChange, { kind: "import" }>;

interface ChangeOptions {
  /** A copy for this change alone. If the change fails, the copy is deleted. */
  database: string;
  change: TableChange;
  memoryBytes: number;
}

/** Makes one change in a database file and returns the changed table. Throws `UploadRefused`. */
export async function changeTables({ database, change, memoryBytes }: ChangeOptions): Promise<ChangedTables> {
  const file = change.kind === "import" ? change.file : undefined;
  const scratch = scratchFiles(dirname(database));
  let workspace: Workspace | undefined;
  try {
    const readable = file ? [file.path, ...Object.values(scratch)] : [];
    workspace = await openWorkspace({ database, readable, memoryBytes });
    const { connection } = workspace;
    let renamed: ChangedTables["renamed"] = [];
    if (change.kind === "create_sample_shop") await fillSampleShop(connection, change.lastDay);
    else if (change.kind === "drop") await dropTable(connection, change.table);
    else ({ renamed = [] } = await importTable(connection, { ...change, scratch }));
    await connection.run(sql`CHECKPOINT`);
    const table = change.kind === "create_sample_shop" ? null : await readTable(connection, change.table);
    return { table, usedBytes: await readUsedBytes(connection), renamed };
  } catch (error) {
    throw await describeFailure(error, { file, scratch, database });
  } finally {
    workspace?.close();
    for (const path of Object.values(scratch)) await rm(path, { force: true });
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

interface ImportOptions extends Import {
  scratch: ScratchFiles;
}

/** Returns the file that was imported. */
async function importTable(connection: DuckdbConnection, options: ImportOptions): Promise<FileSource> {
  const { mode, table, file, types, dateOrder } = options;
  await refuseKeyword(connection, table);
  const existing = await findTable(connection, table);
  if (mode === "append") {
    if (existing === undefined) {
      throw new UploadRefused(
        "not_found",
        `There is no table ${table} to append to. Create it with this file.`,
      );
    }
    return appendTo(connection, existing, options);
  }
  if (existing !== undefined && mode === "create") {
    throw new UploadRefused(
      "conflict",
      `There is a table ${existing} already. Replace it, append to it, or choose another name.`,
    );
  }
  const source = await openFile(connection, file, options);
  const decided = await decideColumns(connection, source, {
    types: positionTypes(source, types),
    dateOrder,
    advice: chooseAnother,
  });
  refuseQuestions(findQuestions(source, decided.columns));
  if (dateOrder === undefined) refuseAmbiguous(decided);
  if (existing !== undefined) {
    await connection.run(sql`DROP TABLE ${sqlName(existing)}`);
    // The new rows take the place of the old ones in the file.
    await connection.run(sql`CHECKPOINT`);
  }
  const rows = selectColumns(source, decided.columns);
  await storeRows(connection, source, sql`CREATE TABLE ${sqlName(table)} AS ${rows}`);
  await rememberOrders(connection, table, decided.ordered);
  return source;
}

/** Columns are matched by name. Both must have the same ones: a misspelled column would be lost otherwise. */
async function appendTo(
  connection: DuckdbConnection,
  table: string,
  { file, types, dateOrder, ...options }: ImportOptions,
): Promise<FileSource> {
  const columns = await readColumns(connection, table);
  const target = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const source = await openFile(connection, file, options);
  refuseQuestions(source.questions ?? []);
  positionTypes(source, types);
  const given = new Map<number, ValueType>();
  for (const [position, name] of source.names.entries()) {
    const column = target.get(name.toLowerCase());
    if (!column) {
      throw new UploadRefused(
        "unreadable",
        `The file has a column ${name}, which the table ${table} does not have. Rename or remove it, or replace the table.`,
      );
    }
    given.set(position, dateOrder === undefined ? column : { type: column.type });
    target.delete(name.toLowerCase());
  }
  const [missing] = target.values();
  if (missing) {
    throw new UploadRefused(
      "unreadable",
      `The file has no column ${missing.name}, which the table ${table} has. Add it to the file, or replace the table.`,
    );
  }
  const advice = `That is the type of the column in the table ${table}. Correct the file, or replace the table.`;
  const decided = await decideColumns(connection, source, { types: given, dateOrder, advice });
  if (dateOrder === undefined) refuseAmbiguous(decided);
  const names = sqlList(source.names.map(sqlName));
  const rows = selectColumns(source, decided.columns);
  await storeRows(connection, source, sql`INSERT INTO ${sqlName(table)} (${names}) ${rows}`);
  const known = new Set(columns.filter((column) => column.dateOrder).map(({ name }) => name.toLowerCase()));
  await rememberOrders(
    connection,
    table,
    decided.ordered.filter(({ name }) => !known.has(name.toLowerCase())),
  );
  return source;
}

/** Runs a statement that stores all rows of a file. If DuckDB read fewer, the change fails. */
async function storeRows(
  connection: DuckdbConnection,
  source: FileSource,
  statement: TrustedSql,
): Promise<void> {
  const [[stored] = []] = await readRows(connection, statement);
  if (source.rowCount !== undefined && Number(stored) !== source.rowCount) {
    throw new UploadRefused(
      "unreadable",
      `Only ${stored} of the ${source.rowCount} rows of the file can be read. Check its quotes and line ends, or upload it as JSON lines or Parquet.`,
    );
  }
}

/** Only the person who sent the file knows whether 01/02/2024 is in January or in February. */
function refuseAmbiguous({ ambiguousDates: [first] }: DecidedColumns): void {
  if (!first) return;
  const { column, written, dmy, mdy } = first;
  throw new UploadRefused(
    "unreadable",
    `In the column ${column}, ${written} can be ${dmy} or ${mdy}, and no value tells which. Send dateOrder: dmy (the day first) or mdy (the month first).`,
  );
}

/** The order of dates is a comment on the column, so that it is copied, restored and dropped with the table. */
async function rememberOrders(
  connection: DuckdbConnection,
  table: string,
  columns: readonly Column[],
): Promise<void> {
  for (const { name, dateOrder } of columns) {
    if (dateOrder === undefined) continue;
    await connection.run(
      sql`COMMENT ON COLUMN ${sqlName(table)}.${sqlName(name)} IS ${sqlString(dateOrder)}`,
    );
  }
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

async function readColumns(connection: DuckdbConnection, table: string): Promise<Column[]> {
  const rows = await readRows(
    connection,
    sql`SELECT column_name, data_type, coalesce(comment, '') FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = ${sqlString(table)} ORDER BY column_index`,
  );
  return rows.map(([name = "", type = "", comment]) => {
    const { data: dateOrder } = DateOrder.safeParse(comment);
    return { name, type, ...(dateOrder && { dateOrder }) };
  });
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

async function readRows(connection: DuckdbConnection, query: TrustedSql): Promise<string[][]> {
  const reader = await connection.runAndReadAll(query);
  return reader.getRows().map((row) => row.map(String));
}
