import { foldName } from "@querybell/domain/upload-formats";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlName, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { type DecidedColumns, decideColumns } from "./decide-columns.ts";
import type { ValueType } from "./exact-values.ts";
import { positionTypes, selectColumns } from "./file-reader.ts";
import type { FileSource } from "./file-source.ts";
import { hasTexts, isReadInForm } from "./number-forms.ts";
import { readColumns, readRows, readUnits } from "./stored-tables.ts";
import { type ChosenTypes, type Column, type DateOrder, UploadRefused } from "./upload-tasks.ts";

interface MatchOptions {
  table: string;
  types: ChosenTypes;
  dateOrder?: DateOrder | undefined;
}

/** The rows of a file in the types of a table, to be added to it. */
interface MatchedRows extends Pick<DecidedColumns, "ordered"> {
  /** The file, with the names that the table has for its columns. */
  matched: FileSource;
  rows: TrustedSql;
}

/** Columns are matched by name. Both must have the same ones: a misspelled column would be lost otherwise. */
export async function matchRows(
  connection: DuckdbConnection,
  source: FileSource,
  { table, types, dateOrder }: MatchOptions,
): Promise<MatchedRows> {
  const columns = await readColumns(connection, table);
  const target = new Map(columns.map((column) => [foldName(column.name), column]));
  positionTypes(source, types);
  const given = new Map<number, ValueType>();
  const names: string[] = [];
  for (const [position, name] of source.names.entries()) {
    const column = target.get(foldName(name));
    if (!column) throw unknownColumn(source, name, { table, columns });
    given.set(position, dateOrder === undefined ? column : { type: column.type });
    names.push(column.name);
    target.delete(foldName(name));
  }
  const found = new Set(names);
  const missing = columns.find(({ name }) => !found.has(name));
  if (missing) {
    throw new UploadRefused(
      "unreadable",
      `The file has no column ${missing.name}, which the table ${table} has. Add it to the file, or replace the table.`,
    );
  }
  const units = await readUnits(connection, table);
  await refuseNumbersWithoutForm(connection, source, { table, names, units });
  const matched = { ...source, names };
  await refuseOtherUnits(connection, matched, { table, units });
  const advice = `That is the type of the column in the table ${table}. Correct the file, or replace the table.`;
  const decided = await decideColumns(connection, matched, { types: given, dateOrder, advice });
  if (dateOrder === undefined) refuseAmbiguous(decided);
  const known = new Set(columns.filter((column) => column.dateOrder).map(({ name }) => name));
  return {
    matched,
    rows: selectColumns(matched, decided.columns),
    ordered: decided.ordered.filter(({ name }) => !known.has(name)),
  };
}

function unknownColumn(
  { renamed = [] }: FileSource,
  name: string,
  { table, columns }: { table: string; columns: readonly Column[] },
): UploadRefused {
  const visible = (one: string) => foldName(one).replaceAll(/[\s\p{Cf}]+/gu, "");
  const similar = columns.find((column) => visible(column.name) === visible(name));
  const given = renamed.find(({ to }) => to === name);
  const what =
    given === undefined
      ? `a column ${name}`
      : given.from === ""
        ? `a column without a name (${given.position})`
        : `another column ${given.from}`;
  return new UploadRefused(
    "unreadable",
    similar
      ? `The file has a column ${name}, and the table ${table} has ${similar.name}: the names differ in spaces, or in characters that are not shown. Rename it in the file, or replace the table.`
      : `The file has ${what}, which the table ${table} does not have. Rename or remove it, or replace the table.`,
  );
}

interface ColumnUnits {
  table: string;
  /** Those of the table. */
  units: ReadonlyMap<string, string>;
}

/**
 * Where the numbers of a table came in a form, such texts are not read without one: 1.234 would be another number, and
 * nobody would see whether 5 is 5 %.
 */
async function refuseNumbersWithoutForm(
  connection: DuckdbConnection,
  source: FileSource,
  { table, names, units }: ColumnUnits & { names: readonly string[] },
): Promise<void> {
  if (!source.textColumns) return;
  for (const [position, name] of source.names.entries()) {
    if (!units.has(names[position] ?? "") || isReadInForm(source, name)) continue;
    if (!(await hasTexts(connection, source, position))) continue;
    throw new UploadRefused(
      "unreadable",
      `The numbers of the column ${name} came to the table ${table} written in a form. Send numbers with the form that they have in this file, such as 1234.56 or 1.234,56.`,
    );
  }
}

/**
 * Numbers are stored without their units, so those of a table must all have the same one. Those that came in no form
 * have none.
 */
async function refuseOtherUnits(
  connection: DuckdbConnection,
  { names, units = new Map() }: FileSource,
  { table, units: before }: ColumnUnits,
): Promise<void> {
  for (const [column, unit] of units) {
    const name = names[column] ?? "";
    const expected = before.get(name) ?? ((await hasValues(connection, table, name)) ? "" : unit);
    if (expected === unit) continue;
    throw new UploadRefused(
      "unreadable",
      `The values of the column ${name} have ${unit === "" ? "no unit" : `the unit ${unit}`}, but those of the table ${table} came with ${expected === "" ? "none" : expected}. Correct the file, or replace the table.`,
    );
  }
}

async function hasValues(connection: DuckdbConnection, table: string, column: string): Promise<boolean> {
  const found = await readRows(
    connection,
    sql`SELECT 1 FROM ${sqlName(table)} WHERE ${sqlName(column)} IS NOT NULL LIMIT 1`,
  );
  return found.length > 0;
}

/** Only the person who sent the file knows whether 01/02/2024 is in January or in February. */
export function refuseAmbiguous({ ambiguousDates: [first] }: DecidedColumns): void {
  if (!first) return;
  const { column, written, dmy, mdy } = first;
  throw new UploadRefused(
    "unreadable",
    `In the column ${column}, ${written} can be ${dmy} or ${mdy}, and no value tells which. Send dateOrder: dmy (the day first) or mdy (the month first).`,
  );
}
