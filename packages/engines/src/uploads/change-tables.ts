import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { foldName } from "@querybell/domain/upload-formats";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlList, sqlName, sqlString, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { fillSampleShop } from "../sample-shop/create-sample-shop.ts";
import { decideColumns } from "./decide-columns.ts";
import { describeFailure } from "./describe-failure.ts";
import { openFile, positionTypes, type ScratchFiles, scratchFiles, selectColumns } from "./file-reader.ts";
import type { FileSource } from "./file-source.ts";
import { matchRows, refuseAmbiguous } from "./match-rows.ts";
import { findQuestions, refuseQuestions } from "./open-questions.ts";
import { openWorkspace, type Workspace } from "./open-workspace.ts";
import { chooseAnother } from "./preview-file.ts";
import {
  findTable,
  readColumns,
  readRows,
  readTable,
  readUsedBytes,
  rememberUnits,
} from "./stored-tables.ts";
import { type ChangedTables, type Column, type TableChange, UploadRefused } from "./upload-tasks.ts";
import { compareRows, refuseBadKeys, stageRows, upsertRows } from "./upsert-rows.ts";

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
    let imported: ImportedRows = {};
    if (change.kind === "create_sample_shop") await fillSampleShop(connection, change.lastDay);
    else if (change.kind === "drop") await dropTable(connection, change.table);
    else imported = await importTable(connection, { ...change, scratch });
    await connection.run(sql`CHECKPOINT`);
    const table = change.kind === "create_sample_shop" ? null : await readTable(connection, change.table);
    const { renamed = [], hasNamesAsBefore = false, update } = imported;
    const usedBytes = await readUsedBytes(connection);
    return { table, usedBytes, renamed, hasNamesAsBefore, ...(update && { update }) };
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

/** What an import tells about its file and its table. */
type ImportedRows = Pick<FileSource, "renamed" | "hasNamesAsBefore"> & Pick<ChangedTables, "update">;

async function importTable(connection: DuckdbConnection, options: ImportOptions): Promise<ImportedRows> {
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
  if (existing !== undefined && mode === "upsert") return updateTable(connection, existing, options);
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
  if (
    existing !== undefined &&
    Object.keys(types).length === 0 &&
    (await isEmptyOf(connection, existing, source))
  ) {
    await connection.run(sql`DELETE FROM ${sqlName(existing)}`);
    return source;
  }
  if (existing !== undefined) {
    await connection.run(sql`DROP TABLE ${sqlName(existing)}`);
    // The new rows take the place of the old ones in the file.
    await connection.run(sql`CHECKPOINT`);
  }
  const rows = selectColumns(source, decided.columns);
  await storeRows(connection, source, sql`CREATE TABLE ${sqlName(table)} AS ${rows}`);
  await rememberOrders(connection, table, decided.ordered);
  await rememberUnits(connection, table, source);
  if (mode === "upsert")
    await refuseBadKeys(connection, { table, columns: decided.columns, key: options.key }, { source, rows });
  return source;
}

/** Whether a file has just the names of a table's columns. It shows no types, so the table keeps its own. */
async function isEmptyOf(
  connection: DuckdbConnection,
  table: string,
  { names, rowCount, ownTypes }: FileSource,
): Promise<boolean> {
  if (rowCount !== 0 || ownTypes) return false;
  const columns = new Set((await readColumns(connection, table)).map(({ name }) => foldName(name)));
  return columns.size === names.length && names.every((name) => columns.has(foldName(name)));
}

async function appendTo(
  connection: DuckdbConnection,
  table: string,
  options: ImportOptions,
): Promise<ImportedRows> {
  const source = await openFile(connection, options.file, options);
  refuseQuestions(source.questions ?? []);
  const { matched, rows, ordered } = await matchRows(connection, source, { ...options, table });
  const names = sqlList(matched.names.map(sqlName));
  await storeRows(connection, source, sql`INSERT INTO ${sqlName(table)} (${names}) ${rows}`);
  await rememberOrders(connection, table, ordered);
  await rememberUnits(connection, table, matched);
  return source;
}

async function updateTable(
  connection: DuckdbConnection,
  table: string,
  options: ImportOptions,
): Promise<ImportedRows> {
  const source = await openFile(connection, options.file, options);
  refuseQuestions(source.questions ?? []);
  const { matched, rows, ordered } = await matchRows(connection, source, { ...options, table });
  await storeRows(connection, source, stageRows(rows));
  const columns = await readColumns(connection, table);
  const target = { table, columns, key: options.key };
  const update = await compareRows(connection, target, { source, rows });
  await upsertRows(connection, target);
  await rememberOrders(connection, table, ordered);
  await rememberUnits(connection, table, matched);
  return { ...source, update };
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
