import { z } from "zod";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlList } from "../duckdb/trusted-sql.ts";
import { anyDecimal, dependsOnOrder, fractionDigits, toYearFirst } from "./exact-values.ts";
import { type FileSource, firstRowsOf } from "./file-source.ts";
import { type FoundType, findTypes, type GivenTypes } from "./find-types.ts";
import type { AmbiguousDates, Column, DateOrder } from "./upload-tasks.ts";

const maxDigits = 38;

interface Wanted extends GivenTypes {
  /** The order of dates, if the values of a column do not show it. */
  dateOrder: DateOrder | undefined;
}

export interface DecidedColumns {
  columns: Column[];
  ambiguousDates: AmbiguousDates[];
  /** The columns with a date that would be another day in the other order. */
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
  const slashed = found.flatMap(({ dateOrders }, column) => (dateOrders.length > 0 ? [column] : []));
  const dates = await findOrderedDates(connection, source, slashed);
  const decided: DecidedColumns = { columns: [], ambiguousDates: [], ordered: [] };
  for (const [position, name] of source.names.entries()) {
    const {
      type,
      dateOrders: [first, second],
    } = found[position] ?? { type: "VARCHAR", dateOrders: [] };
    const date = dates.get(position);
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

type OrderedDate = Omit<AmbiguousDates, "column">;

/** An example for each column with a date that would be another day in the other order. */
async function findOrderedDates(
  connection: DuckdbConnection,
  source: FileSource,
  columns: readonly number[],
): Promise<Map<number, OrderedDate>> {
  const found = new Map<number, OrderedDate>();
  for (const rows of [firstRowsOf(source), source]) {
    const asked = columns.filter((column) => !found.has(column));
    if (asked.length === 0) break;
    const dates = asked.map((column) => {
      const text = source.text(column);
      return sql`min(CASE WHEN ${dependsOnOrder(text)} THEN ${text} END) AS d${column}`;
    });
    const readings = asked.map((column) => {
      const date = sql`d${column}`;
      return sql`[${date}, ${toYearFirst(date, "dmy")}, ${toYearFirst(date, "mdy")}]`;
    });
    const reader = await connection.runAndReadAll(
      sql`SELECT ${sqlList(readings)} FROM (SELECT ${sqlList(dates)} FROM ${rows.from})`,
    );
    const [row = []] = reader.getRowsJson();
    for (const [index, column] of asked.entries()) {
      const { data } = Readings.safeParse(row[index]);
      if (data) found.set(column, { written: data[0], dmy: padded(data[1]), mdy: padded(data[2]) });
    }
  }
  return found;
}

/** Gives months and days two digits. */
const padded = (date: string): string => date.replaceAll(/-(\d)\b/g, "-0$1");

const Readings = z.tuple([z.string(), z.string(), z.string()]);

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
