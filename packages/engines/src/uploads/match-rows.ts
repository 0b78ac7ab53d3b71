import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sqlList, sqlName, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { type DecidedColumns, decideColumns } from "./decide-columns.ts";
import type { ValueType } from "./exact-values.ts";
import { positionTypes, selectColumns } from "./file-reader.ts";
import type { FileSource } from "./file-source.ts";
import { readColumns, readUnits } from "./stored-tables.ts";
import { type ChosenTypes, type DateOrder, UploadRefused } from "./upload-tasks.ts";

interface MatchOptions {
  table: string;
  types: ChosenTypes;
  dateOrder?: DateOrder | undefined;
}

/** The rows of a file in the types of a table, to be added to it. */
interface MatchedRows extends Pick<DecidedColumns, "ordered"> {
  /** The file's columns, with the names that it has for them. */
  names: TrustedSql;
  rows: TrustedSql;
}

/** Columns are matched by name. Both must have the same ones: a misspelled column would be lost otherwise. */
export async function matchRows(
  connection: DuckdbConnection,
  source: FileSource,
  { table, types, dateOrder }: MatchOptions,
): Promise<MatchedRows> {
  const columns = await readColumns(connection, table);
  const target = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
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
  await refuseOtherUnits(connection, source, table);
  const advice = `That is the type of the column in the table ${table}. Correct the file, or replace the table.`;
  const decided = await decideColumns(connection, source, { types: given, dateOrder, advice });
  if (dateOrder === undefined) refuseAmbiguous(decided);
  const known = new Set(columns.filter((column) => column.dateOrder).map(({ name }) => name.toLowerCase()));
  return {
    names: sqlList(source.names.map(sqlName)),
    rows: selectColumns(source, decided.columns),
    ordered: decided.ordered.filter(({ name }) => !known.has(name.toLowerCase())),
  };
}

/** Numbers are stored without their units, so those of a table must all have the same one. */
async function refuseOtherUnits(
  connection: DuckdbConnection,
  { names, units = new Map() }: FileSource,
  table: string,
): Promise<void> {
  const before = await readUnits(connection, table);
  for (const [column, unit] of units) {
    const name = names[column] ?? "";
    const expected = before.get(name.toLowerCase());
    if (expected === undefined || expected === unit) continue;
    throw new UploadRefused(
      "unreadable",
      `The values of the column ${name} have ${unit === "" ? "no unit" : `the unit ${unit}`}, but those of the table ${table} came with ${expected === "" ? "none" : expected}. Correct the file, or replace the table.`,
    );
  }
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
