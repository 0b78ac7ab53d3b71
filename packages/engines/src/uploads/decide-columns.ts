import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlList } from "../duckdb/own-sql.ts";
import { fractionDigits } from "./exact-numbers.ts";
import { anyDecimal } from "./exact-text.ts";
import { isSlashed, toYearFirst } from "./exact-times.ts";
import type { FileSource } from "./file-source.ts";
import { type FoundType, findTypes, type GivenTypes } from "./find-types.ts";
import type { AmbiguousDates, Column, DateOrder } from "./upload-tasks.ts";

const maxDigits = 38;

interface Wanted extends GivenTypes {
  /** The order of dates, where the values of a column do not tell it. */
  dateOrder: DateOrder | undefined;
}

export interface DecidedColumns {
  columns: Column[];
  ambiguousDates: AmbiguousDates[];
  /** The columns with a date that is another one in the other order. */
  ordered: Column[];
}

/**
 * Finds a type for each column that holds all of its values exactly, by reading the whole file. Refuses a value that the
 * given type of its column does not hold.
 */
export async function decideColumns(
  connection: DuckdbConnection,
  source: FileSource,
  wanted: Wanted,
): Promise<DecidedColumns> {
  const found = await fitDecimals(connection, source, await findTypes(connection, source, wanted));
  const decided: DecidedColumns = { columns: [], ambiguousDates: [], ordered: [] };
  for (const [position, name] of source.names.entries()) {
    const {
      type,
      dateOrders: [first, second],
    } = found[position] ?? { type: "VARCHAR", dateOrders: [] };
    const date = first && (await findOrderedDate(connection, source, position));
    const dateOrder = second && date ? wanted.dateOrder : first;
    if (second && date) decided.ambiguousDates.push({ column: name, ...date });
    const column = {
      name,
      type,
      ...(dateOrder && { dateOrder }),
    };
    decided.columns.push(column);
    if (date && dateOrder) decided.ordered.push(column);
  }
  return decided;
}

/** A date of a column that is another one in the other order, unlike 05/05/2024. */
async function findOrderedDate(
  connection: DuckdbConnection,
  source: FileSource,
  column: number,
): Promise<Omit<AmbiguousDates, "column"> | undefined> {
  const text = source.text(column);
  const [dmy, mdy] = [toYearFirst(text, "dmy"), toYearFirst(text, "mdy")];
  const reader = await connection.runAndReadAll(
    sql`SELECT ${text}, ${dmy}, ${mdy} FROM ${source.from} WHERE ${isSlashed("TIMESTAMP_NS", text)} AND ${dmy} <> ${mdy} LIMIT 1`,
  );
  const [row] = reader.getRows();
  return row && { written: String(row[0]), dmy: String(row[1]), mdy: String(row[2]) };
}

/** Replaces DECIMAL with the one for all digits of its column, or with text where they are too many. */
async function fitDecimals(
  connection: DuckdbConnection,
  source: FileSource,
  found: readonly FoundType[],
): Promise<FoundType[]> {
  if (!found.some(({ type }) => type === anyDecimal)) return [...found];
  const digits = found.map(({ type }, column) => {
    if (type !== anyDecimal) return sql`NULL`;
    const text = source.text(column);
    return sql`[max(length(split_part(ltrim(${text}, '-'), '.', 1))), max(${fractionDigits(text)})]`;
  });
  const reader = await connection.runAndReadAll(sql`SELECT ${sqlList(digits)} FROM ${source.from} LIMIT 1`);
  const [row = []] = reader.getRowsJson();
  return found.map((column, position) => {
    const counted = row[position];
    if (!Array.isArray(counted)) return column;
    const [whole = 0, fraction = 0] = counted.map(Number);
    const precision = whole + fraction;
    return { ...column, type: precision > maxDigits ? source.textType : `DECIMAL(${precision},${fraction})` };
  });
}
