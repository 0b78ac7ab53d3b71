import type { DuckDBConnection } from "@duckdb/node-api";
import { fractionDigits } from "./exact-numbers.ts";
import type { ValueType } from "./exact-text.ts";
import { isOfDays, isSlashed, toYearFirst } from "./exact-times.ts";
import type { FileSource } from "./file-source.ts";
import { bestGuess } from "./guess-type.ts";
import { type Column, type DateOrder, type UndecidedDates, UploadRefused } from "./upload-tasks.ts";

const maxDigits = 38;
const shownValueLength = 100;
const orders = ["dmy", "mdy"] as const;

export interface Wanted {
  /** The types that are chosen, or those of the table to append to, by the position of the column. */
  types: ReadonlyMap<number, ValueType>;
  /** The order of dates, where the values of a column do not tell it. */
  dateOrder: DateOrder | undefined;
  /** What to do about a value that a given type does not hold. */
  advice: string;
}

export interface DecidedColumns {
  columns: Column[];
  undecidedDates: UndecidedDates[];
  /** The columns with a date that is another one in the other order. */
  ordered: Column[];
}

/**
 * Finds a type for each column that holds all of its values exactly, by reading the whole file. Refuses a value that the
 * given type of its column does not hold.
 */
export async function decideColumns(
  connection: DuckDBConnection,
  source: FileSource,
  wanted: Wanted,
): Promise<DecidedColumns> {
  const found = await readAllValues(connection, source, wanted);
  const decided: DecidedColumns = { columns: [], undecidedDates: [], ordered: [] };
  for (const [position, name] of source.names.entries()) {
    const { type, dateOrders: [first, second] } = found[position] ?? textColumn;
    const date = first && (await findOrderedDate(connection, source, position));
    const dateOrder = second && date ? wanted.dateOrder : first;
    if (date && dateOrder === undefined) decided.undecidedDates.push({ column: name, ...date });
    const column = {
      name,
      type: type === "DECIMAL" ? await fitDecimal(connection, source, position) : type,
      ...(dateOrder && { dateOrder }),
    };
    decided.columns.push(column);
    if (date && dateOrder) decided.ordered.push(column);
  }
  return decided;
}

interface FoundType {
  type: string;
  /** The orders in which all dates of the column can be read. */
  dateOrders: readonly DateOrder[];
}

const textColumn: FoundType = { type: "VARCHAR", dateOrders: [] };

/** One pass through the file. */
async function readAllValues(
  connection: DuckDBConnection,
  source: FileSource,
  wanted: Wanted,
): Promise<FoundType[]> {
  /** What is asked about each column, and what the answers mean. */
  const questions = source.names.map((_, column) => {
    const given = wanted.types.get(column);
    const own = source.ownTypes?.[column];
    if (given === undefined && own !== undefined) {
      return { sql: [], read: async () => ({ type: own, dateOrders: [] }) };
    }
    if (given === undefined) {
      const sql = [`bit_and(${source.bits(column)}) FILTER (${source.text(column)} IS NOT NULL)`];
      return { sql, read: async ([bits]: unknown[]) => bestGuess(bits === null ? undefined : Number(bits)) };
    }
    const isOpen = isOfDays(given.type) && given.dateOrder === undefined;
    const targets = isOpen ? [given, ...orders.map((dateOrder) => ({ ...given, dateOrder }))] : [given];
    const sql = targets.map((target) => `bool_and(${source.holds(column, target)}) FILTER (${source.text(column)} IS NOT NULL)`);
    return {
      sql,
      async read(answers: unknown[]): Promise<FoundType> {
        const [isHeld, ...heldInOrder] = answers.map((answer) => answer !== false);
        const dateOrders = orders.filter((_, index) => heldInOrder[index] === true);
        if (isHeld) return { type: given.type, dateOrders: given.dateOrder ? [given.dateOrder] : [] };
        if (dateOrders.length > 0) return { type: given.type, dateOrders };
        throw await describeMisfit(connection, source, { column, target: isOpen ? { ...given, dateOrder: wanted.dateOrder ?? "dmy" } : given, advice: wanted.advice });
      },
    };
  });
  const sql = questions.flatMap((question) => question.sql);
  const [answers = []] = sql.length === 0 ? [] : (await connection.runAndReadAll(`SELECT ${sql.join(", ")} FROM ${source.from}`)).getRows();
  const found: FoundType[] = [];
  let at = 0;
  for (const question of questions) {
    found.push(await question.read(answers.slice(at, (at += question.sql.length))));
  }
  return found;
}

/** A date of a column that is another one in the other order, unlike 05/05/2024. */
async function findOrderedDate(
  connection: DuckDBConnection,
  source: FileSource,
  column: number,
): Promise<Omit<UndecidedDates, "column"> | undefined> {
  const text = source.text(column);
  const [dmy, mdy] = orders.map((order) => toYearFirst(text, order));
  const reader = await connection.runAndReadAll(
    `SELECT ${text}, ${dmy}, ${mdy} FROM ${source.from} WHERE ${isSlashed(text)} AND ${dmy} <> ${mdy} LIMIT 1`,
  );
  const [row] = reader.getRows();
  return row && { written: String(row[0]), dmy: String(row[1]), mdy: String(row[2]) };
}

/** The DECIMAL for all digits of a column, or text where it has too many. */
async function fitDecimal(connection: DuckDBConnection, source: FileSource, column: number): Promise<string> {
  const text = source.text(column);
  const reader = await connection.runAndReadAll(
    `SELECT max(length(split_part(ltrim(${text}, '-'), '.', 1))), max(${fractionDigits(text)}) FROM ${source.from}`,
  );
  const [[whole, fraction] = []] = reader.getRows();
  const digits = Number(whole) + Number(fraction);
  return digits > maxDigits ? source.textType : `DECIMAL(${digits},${Number(fraction)})`;
}

interface Misfit {
  column: number;
  target: ValueType;
  advice: string;
}

/** Names the first value that a type does not hold. */
async function describeMisfit(
  connection: DuckDBConnection,
  source: FileSource,
  { column, target, advice }: Misfit,
): Promise<UploadRefused> {
  const text = source.text(column);
  const reader = await connection.runAndReadAll(
    `SELECT row, left(text, ${shownValueLength + 1}) FROM (
       SELECT row_number() OVER () AS row, ${text} AS text, ${source.holds(column, target)} AS is_held FROM ${source.from})
     WHERE text IS NOT NULL AND NOT is_held LIMIT 1`,
  );
  const [[row, value] = []] = reader.getRows();
  const shown = shorten(String(value));
  const place = await source.placeOf(Number(row));
  return new UploadRefused(
    "unreadable",
    `${place}: “${shown}” in the column ${source.names[column]} cannot be stored exactly as ${target.type}. ${advice}`,
  );
}

const shorten = (text: string): string =>
  text.length > shownValueLength ? `${text.slice(0, shownValueLength)}…` : text;
