import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlList, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { isOfDays, type ValueType } from "./exact-values.ts";
import { type FileSource, firstRowCount, firstRowsOf } from "./file-source.ts";
import { fallbackType, inBothOrders, isFinal, typesToTry } from "./guess-type.ts";
import { type DateOrder, UploadRefused } from "./upload-tasks.ts";

const shownValueLength = 100;

export interface GivenTypes {
  /** The types that are chosen, or those of the table to append to, by the position of the column. */
  types: ReadonlyMap<number, ValueType>;
  /** What to do about a value that such a type does not hold. */
  advice: string;
}

export interface FoundType {
  type: string;
  /** The orders in which all dates of the column can be read. Empty if they have the year first. */
  dateOrders: DateOrder[];
}

/**
 * Reads the whole file once to see what values look like, and once more to see which types hold them. A type that is
 * given is the only one to try: a value that it does not hold is refused.
 */
export async function findTypes(
  connection: DuckdbConnection,
  source: FileSource,
  { types, advice }: GivenTypes,
): Promise<FoundType[]> {
  const looks = await readLooks(connection, source, types);
  const candidates = looks.map((look, column) => {
    const given = types.get(column);
    return given ? inOpenOrders(given) : typesToTry(look);
  });
  const held = await readHeld(connection, source, candidates);
  const found: FoundType[] = [];
  for (const [column, [best, ...others]] of held.entries()) {
    const given = types.get(column);
    if (given && !best) throw await describeMisfit(connection, source, { column, given, advice });
    const alternatives = best?.dateOrder ? others.filter(({ type }) => type === best.type) : [];
    found.push({
      type: best?.type ?? source.ownTypes?.[column] ?? fallbackType(looks[column] ?? 0, source.textType),
      dateOrders: [best, ...alternatives].flatMap((target) => target?.dateOrder ?? []),
    });
  }
  return found;
}

/**
 * What the values of each column look like. 0 where the type is not guessed, or where there are no values. Columns that
 * are text after the first rows are not looked at again.
 */
async function readLooks(
  connection: DuckdbConnection,
  source: FileSource,
  types: GivenTypes["types"],
): Promise<number[]> {
  const lookAt = async (rows: FileSource, isAsked: (column: number) => boolean) => {
    const looks = rows.names.map((_, column) =>
      isAsked(column)
        ? sql`bit_or(CASE WHEN ${rows.text(column)} IS NOT NULL THEN ${rows.look(column)} END)`
        : sql`NULL`,
    );
    return (await readTotals(connection, rows, looks)).map((look) => Number(look ?? 0));
  };
  const isGuessed = (column: number) => !types.has(column) && source.ownTypes === undefined;
  const first = await lookAt(firstRowsOf(source), isGuessed);
  if (source.rowCount !== undefined && source.rowCount <= firstRowCount) return first;
  const isOpen = (column: number) => isGuessed(column) && !isFinal(first[column] ?? 0, source.textType);
  const all = await lookAt(source, isOpen);
  return first.map((look, column) => look | (all[column] ?? 0));
}

/**
 * A date type is tried in the order of the table's dates. Without one: with the year first, and in both
 * orders.
 */
const inOpenOrders = (given: ValueType): ValueType[] =>
  isOfDays(given.type) && given.dateOrder === undefined ? [given, ...inBothOrders(given.type)] : [given];

/** The candidates for each column that hold all of its values. */
async function readHeld(
  connection: DuckdbConnection,
  source: FileSource,
  candidates: ValueType[][],
): Promise<ValueType[][]> {
  const all = candidates.flatMap((targets, column) => targets.map((target) => ({ column, target })));
  const answers = await readTotals(
    connection,
    source,
    all.map(({ column, target }) => {
      const condition = source.holds(column, target);
      if (condition.text === "true") return condition;
      return sql`bool_and(CASE WHEN ${source.text(column)} IS NULL THEN NULL WHEN ${condition} THEN true ELSE false END)`;
    }),
  );
  const held = candidates.map((): ValueType[] => []);
  for (const [index, { column, target }] of all.entries()) {
    if (answers[index] !== false) held[column]?.push(target);
  }
  return held;
}

/** Totals over all rows, in one pass. */
async function readTotals(
  connection: DuckdbConnection,
  source: FileSource,
  totals: TrustedSql[],
): Promise<unknown[]> {
  if (totals.every(({ text }) => text === "NULL" || text === "true")) return totals.map(() => null);
  const reader = await connection.runAndReadAll(sql`SELECT ${sqlList(totals)} FROM ${source.from} LIMIT 1`);
  return reader.getRows()[0] ?? [];
}

interface Misfit {
  column: number;
  given: ValueType;
  advice: string;
}

/** Names the first value that a type does not hold. Dates are read in the order in which most of them can be read. */
async function describeMisfit(
  connection: DuckdbConnection,
  source: FileSource,
  { column, given, advice }: Misfit,
): Promise<UploadRefused> {
  const misfits: { row: number; text: string }[] = [];
  for (const target of inOpenOrders(given)) {
    const reader = await connection.runAndReadAll(
      sql`SELECT row, left(text, ${shownValueLength + 1}) FROM (
         SELECT row_number() OVER () AS row, ${source.text(column)} AS text, ${source.holds(column, target)} AS is_held FROM ${source.from})
       WHERE text IS NOT NULL AND NOT is_held LIMIT 1`,
    );
    const [[row, text] = []] = reader.getRows();
    misfits.push({ row: Number(row), text: String(text) });
  }
  const { row, text } = misfits.reduce((last, next) => (next.row > last.row ? next : last));
  const characters = [...text];
  const shown =
    characters.length > shownValueLength ? `${characters.slice(0, shownValueLength).join("")}…` : text;
  const place = await source.placeOf(row);
  return new UploadRefused(
    "unreadable",
    `${place}: “${shown}” in the column ${source.names[column]} cannot be stored exactly as ${given.type}. ${aboutOrder(given, text)}${advice}`,
  );
}

/** What to do about a date such as 02/13/2024 that does not exist in the order in which it is read. */
function aboutOrder({ dateOrder }: ValueType, text: string): string {
  if (dateOrder === undefined || !/^\d{1,2}[./-]\d{1,2}[./-]\d{4}/.test(text)) return "";
  return dateOrder === "dmy"
    ? "It is read with the day first. If the month is first, send dateOrder: mdy. "
    : "It is read with the month first. If the day is first, send dateOrder: dmy. ";
}
