import type { DuckdbConnection } from "../duckdb/driver.ts";
import { type OwnSql, sql, sqlList } from "../duckdb/own-sql.ts";
import { fractionDigits } from "./exact-numbers.ts";
import { anyDecimal, type ValueType } from "./exact-text.ts";
import { isOfDays, isSlashed, toYearFirst } from "./exact-times.ts";
import type { FileSource } from "./file-source.ts";
import { areTexts, certainType, inBothOrders, typesToTry } from "./guess-type.ts";
import { type AmbiguousDates, type Column, type DateOrder, UploadRefused } from "./upload-tasks.ts";

const maxDigits = 38;
const shownValueLength = 100;

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
  const found = await findTypes(connection, source, wanted);
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
      type: type === anyDecimal ? await fitDecimal(connection, source, position) : type,
      ...(dateOrder && { dateOrder }),
    };
    decided.columns.push(column);
    if (date && dateOrder) decided.ordered.push(column);
  }
  return decided;
}

interface FoundType {
  type: string;
  /** The orders in which all dates of the column can be read. Empty if they have the year first. */
  dateOrders: DateOrder[];
}

/** A question: whether a type holds all values of a column. */
interface Candidate {
  column: number;
  target: ValueType;
}

/**
 * Reads the whole file once to see what values look like, and once more to see which types hold them. A type that is
 * given is the only one to try.
 */
async function findTypes(
  connection: DuckdbConnection,
  source: FileSource,
  { types, advice }: Wanted,
): Promise<FoundType[]> {
  const isGuessed = (column: number) => !types.has(column) && source.ownTypes === undefined;
  const guessed = [...source.names.keys()].filter(isGuessed);
  const seen = await readTotals(
    connection,
    source,
    guessed.map(
      (column) => sql`bit_or(CASE WHEN ${source.text(column)} IS NOT NULL THEN ${source.look(column)} END)`,
    ),
  );
  const looks = new Map(guessed.map((column, index) => [column, Number(seen[index] ?? 0)]));
  const candidates = [...source.names.keys()].flatMap((column): Candidate[] => {
    const given = types.get(column);
    const targets = given ? inOpenOrders(given) : typesToTry(looks.get(column) ?? 0);
    return targets.map((target) => ({ column, target }));
  });
  const answers = await readTotals(
    connection,
    source,
    candidates.map(
      ({ column, target }) =>
        sql`bool_and(CASE WHEN ${source.text(column)} IS NULL THEN NULL WHEN ${source.holds(column, target)} THEN true ELSE false END)`,
    ),
  );
  const held = candidates.filter((_, index) => answers[index] !== false);
  const found: FoundType[] = [];
  for (const [column, given] of source.names.map((_, at) => [at, types.get(at)] as const)) {
    const [best, ...others] = held.filter((one) => one.column === column).map(({ target }) => target);
    if (given && !best)
      throw await describeMisfit(connection, source, {
        column,
        target: inOpenOrders(given).at(1) ?? given,
        advice,
      });
    const alternatives = best?.dateOrder ? others.filter(({ type }) => type === best.type) : [];
    found.push({
      type: best?.type ?? source.ownTypes?.[column] ?? typeWithoutCandidates(source, looks.get(column) ?? 0),
      dateOrders: [best, ...alternatives].flatMap((target) => target?.dateOrder ?? []),
    });
  }
  return found;
}

/** A type for dates holds them in the order of the table, or, if it has none, with the year first or in either order. */
const inOpenOrders = (given: ValueType): ValueType[] =>
  isOfDays(given.type) && given.dateOrder === undefined ? [given, ...inBothOrders(given.type)] : [given];

const typeWithoutCandidates = (source: FileSource, look: number): string =>
  certainType(look) ?? (areTexts(look) ? "VARCHAR" : source.textType);

async function readTotals(
  connection: DuckdbConnection,
  source: FileSource,
  totals: OwnSql[],
): Promise<unknown[]> {
  if (totals.length === 0) return [];
  const reader = await connection.runAndReadAll(sql`SELECT ${sqlList(totals)} FROM ${source.from}`);
  return reader.getRows()[0] ?? [];
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
    sql`SELECT ${text}, ${dmy}, ${mdy} FROM ${source.from} WHERE ${isSlashed(text)} AND ${dmy} <> ${mdy} LIMIT 1`,
  );
  const [row] = reader.getRows();
  return row && { written: String(row[0]), dmy: String(row[1]), mdy: String(row[2]) };
}

/** The DECIMAL for all digits of a column, or text where it has too many. */
async function fitDecimal(connection: DuckdbConnection, source: FileSource, column: number): Promise<string> {
  const text = source.text(column);
  const reader = await connection.runAndReadAll(
    sql`SELECT max(length(split_part(ltrim(${text}, '-'), '.', 1))), max(${fractionDigits(text)}) FROM ${source.from}`,
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
  connection: DuckdbConnection,
  source: FileSource,
  { column, target, advice }: Misfit,
): Promise<UploadRefused> {
  const text = source.text(column);
  const reader = await connection.runAndReadAll(
    sql`SELECT row, left(text, ${shownValueLength + 1}) FROM (
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
