import { shorten, toStorable } from "@querybell/domain/text";
import { foldName } from "@querybell/domain/upload-formats";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlJoin, sqlList, sqlName, sqlString, type TrustedSql } from "../duckdb/trusted-sql.ts";
import type { FileSource } from "./file-source.ts";
import { matchRows } from "./match-rows.ts";
import { findTable, readColumns } from "./stored-tables.ts";
import {
  type ChosenTypes,
  type Column,
  type DateOrder,
  type FilePreview,
  type TableUpdate,
  UploadRefused,
} from "./upload-tasks.ts";

const incoming = sql`temp.incoming`;
const maxSamples = 20;
const shownLength = 200;

interface UpsertOptions {
  table: string;
  /** The columns of the table. The incoming rows have the same ones, with the same types. */
  columns: readonly Column[];
  /** The names of the columns that tell which row of the table a row of the file is. */
  key: readonly string[];
}

/** A statement that keeps the rows of a file, so that they are read once. */
export const stageRows = (rows: TrustedSql): TrustedSql => sql`CREATE TEMP TABLE incoming AS ${rows}`;

/** Compares the staged rows with the table. Refuses keys that are empty, or that several rows have. */
export async function compareRows(
  connection: DuckdbConnection,
  { table, columns, key }: UpsertOptions,
  file: FileRows,
): Promise<TableUpdate> {
  const keys = keysOf({ table, columns, key });
  await refuseKeys(connection, { from: sqlName(table), what: `The table ${table}`, keys });
  await refuseKeys(connection, { from: incoming, what: "The file", keys, file });
  const others = columns.filter(({ name }) => !isOneOf(key, name));
  const joined = sql`${sqlName(table)} AS old JOIN ${incoming} AS new ON ${sameKey(keys)}`;
  const reader = await connection.runAndReadAll(
    sql`SELECT (SELECT count(*) FROM ${sqlName(table)}), (SELECT count(*) FROM ${incoming}), count(*), count(*) FILTER (${anyDiffers(others)}) FROM ${joined}`,
  );
  const [rows = 0, sent = 0, matched = 0, changed = 0] = reader.getRows()[0]?.map(Number) ?? [];
  return {
    added: sent - matched,
    changed,
    unchanged: matched - changed,
    kept: rows - matched,
    samples: changed === 0 ? [] : await readSamples(connection, { joined, keys, others }),
  };
}

/** Changes the rows of the table that the file has otherwise, and adds those that the table does not have. */
export async function upsertRows(
  connection: DuckdbConnection,
  { table, columns, key }: UpsertOptions,
): Promise<void> {
  const keys = columns.filter(({ name }) => isOneOf(key, name));
  const others = columns.filter(({ name }) => !isOneOf(key, name));
  const names = sqlList(columns.map(({ name }) => sqlName(name)));
  // Deleted and inserted: UPDATE leaves a 0 that is to be -0.
  if (others.length > 0) {
    await connection.run(
      sql`DELETE FROM ${sqlName(table)} AS old USING ${incoming} AS new WHERE ${sameKey(keys)} AND (${anyDiffers(others)})`,
    );
  }
  await connection.run(
    sql`INSERT INTO ${sqlName(table)} (${names}) SELECT ${names} FROM ${incoming} AS new WHERE NOT EXISTS (SELECT 1 FROM ${sqlName(table)} AS old WHERE ${sameKey(keys)})`,
  );
}

const isOneOf = (key: readonly string[], name: string): boolean =>
  key.some((one) => foldName(one) === foldName(name));

const join = (conditions: TrustedSql[], separator: " AND " | " OR "): TrustedSql =>
  conditions.length === 0
    ? sql`false`
    : conditions.reduce((all, next) =>
        separator === " AND " ? sql`${all} AND ${next}` : sql`${all} OR ${next}`,
      );

const sameKey = (keys: readonly Column[]): TrustedSql =>
  join(
    keys.map(({ name }) => sql`old.${sqlName(name)} = new.${sqlName(name)}`),
    " AND ",
  );

const anyDiffers = (columns: readonly Column[]): TrustedSql => join(columns.map(differs), " OR ");

/** The types of which two values are equal only if they are the same. Not so of -0 and 0, or of 30 days and a month. */
const comparable =
  /^(?:BOOLEAN|U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(\d+,\d+\)|DATE|TIME(?:_NS)?|TIMESTAMP(?:_S|_MS|_NS)?|TIMESTAMP WITH TIME ZONE|VARCHAR|UUID|JSON)$/;

function differs({ name, type }: Column): TrustedSql {
  const [before, after] = [sql`old.${sqlName(name)}`, sql`new.${sqlName(name)}`];
  return comparable.test(type)
    ? sql`${before} IS DISTINCT FROM ${after}`
    : sql`CAST(${before} AS VARCHAR) IS DISTINCT FROM CAST(${after} AS VARCHAR)`;
}

/** The rows of a file in the types of the table, before they are staged. */
export interface FileRows {
  source: FileSource;
  rows: TrustedSql;
}

interface KeyedRows {
  from: TrustedSql;
  what: string;
  keys: readonly Column[];
  /** Where the rows come from, to name their lines. */
  file?: FileRows;
}

/** Refuses a key that is not one of the table, or not the key of each of the rows that a file has made it of. */
export async function refuseBadKeys(
  connection: DuckdbConnection,
  options: UpsertOptions,
  file: FileRows,
): Promise<void> {
  const from = sqlName(options.table);
  await refuseKeys(connection, { from, what: "The file", keys: keysOf(options), file });
}

/** The columns of the table that are the key. Refuses a name that none of them has. */
function keysOf({ table, columns, key }: UpsertOptions): Column[] {
  const missing = key.find((name) => !columns.some((column) => isOneOf([name], column.name)));
  if (missing !== undefined) {
    throw new UploadRefused("unreadable", `The table ${table} has no column ${missing}. Choose another key.`);
  }
  return columns.filter(({ name }) => isOneOf(key, name));
}

async function refuseKeys(
  connection: DuckdbConnection,
  { from, what, keys, file }: KeyedRows,
): Promise<void> {
  const names = keys.map(({ name }) => sqlName(name));
  const texts = names.map((name) => sql`CAST(${name} AS VARCHAR)`);
  const isEmpty = join(
    names.map((name) => sql`${name} IS NULL`),
    " OR ",
  );
  const reader = await connection.runAndReadAll(
    sql`SELECT count(*), bool_or(${isEmpty}), ${sqlList(texts)} FROM ${from} GROUP BY ${sqlList(names)} HAVING count(*) > 1 OR bool_or(${isEmpty}) LIMIT 1`,
  );
  const [found] = reader.getRows();
  if (!found) return;
  const [count, hasEmpty, ...values] = found;
  const columns = shorten(keys.map(({ name }) => name).join(", "), shownLength);
  const isSame = join(
    texts.map((text, at) => sql`${text} = ${sqlString(String(values[at]))}`),
    " AND ",
  );
  const places = await findPlaces(connection, file, hasEmpty === true ? isEmpty : isSame);
  throw new UploadRefused(
    "unreadable",
    hasEmpty === true
      ? `${what} has a row without a value in its key, ${columns}${places}. Give each row one, or choose another key.`
      : `${what} has ${count} rows with the key ${columns} = ${shorten(values.join(", "), shownLength)}${places}. Each row needs its own: correct it, or choose another key.`,
  );
}

/** Where a file has the first two rows of some: ` (line 3 and line 7)`. */
async function findPlaces(
  connection: DuckdbConnection,
  file: FileRows | undefined,
  condition: TrustedSql,
): Promise<string> {
  if (!file) return "";
  const reader = await connection.runAndReadAll(
    sql`SELECT row FROM (SELECT row_number() OVER () AS row, ${condition} AS is_meant FROM (${file.rows})) WHERE is_meant ORDER BY row LIMIT 2`,
  );
  const places: string[] = [];
  for (const [row] of reader.getRows()) places.push(await file.source.placeOf(Number(row)));
  return places.length === 0 ? "" : ` (${places.join(" and ").toLowerCase()})`;
}

interface JoinedRows {
  joined: TrustedSql;
  keys: readonly Column[];
  others: readonly Column[];
}

/** Some values that change, with their rows. */
async function readSamples(
  connection: DuckdbConnection,
  { joined, keys, others }: JoinedRows,
): Promise<TableUpdate["samples"]> {
  const shown = (side: "old" | "new", { name }: Column) =>
    sql`left(CAST(${side === "old" ? sql`old` : sql`new`}.${sqlName(name)} AS VARCHAR), ${shownLength})`;
  const keyTexts = keys.map((column) => shown("new", column));
  const values = others.flatMap((column) => [differs(column), shown("old", column), shown("new", column)]);
  const reader = await connection.runAndReadAll(
    sql`SELECT ${sqlJoin([...keyTexts, ...values], ", ")} FROM ${joined} WHERE ${anyDiffers(others)} ORDER BY ALL LIMIT ${maxSamples}`,
  );
  const toText = (value: unknown) =>
    value === null || value === undefined ? null : toStorable(String(value));
  const samples = reader.getRows().flatMap((row) =>
    others.flatMap(({ name }, at) => {
      const [isChanged, before, after] = row.slice(keys.length + at * 3, keys.length + at * 3 + 3);
      if (isChanged !== true) return [];
      const key = row.slice(0, keys.length).map((value) => toStorable(String(value)));
      return [{ key, column: name, before: toText(before), after: toText(after) }];
    }),
  );
  return samples.slice(0, maxSamples);
}

interface PreviewedUpsert {
  table: string;
  key: readonly string[];
  types: ChosenTypes;
  dateOrder?: DateOrder | undefined;
}

/** What an upsert of a file would change, or why it would be refused. */
export async function previewUpsert(
  connection: DuckdbConnection,
  source: FileSource,
  { table: asked, key, types, dateOrder }: PreviewedUpsert,
): Promise<Pick<FilePreview, "update" | "updateRefusal">> {
  try {
    const table = (await findTable(connection, asked)) ?? asked;
    const { rows } = await matchRows(connection, source, { table, types, dateOrder });
    await connection.run(stageRows(rows));
    const columns = await readColumns(connection, table);
    return { update: await compareRows(connection, { table, columns, key }, { source, rows }) };
  } catch (error) {
    if (error instanceof UploadRefused) return { updateRefusal: error.message };
    throw error;
  }
}
