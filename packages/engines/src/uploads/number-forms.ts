import type { FileReading } from "@querybell/domain/file-reading";
import { foldName, numberForms } from "@querybell/domain/upload-formats";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlList, sqlString, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { allOf } from "./exact-values.ts";
import { type FileSource, firstRowCount, firstRowsOf, positionsOf } from "./file-source.ts";
import { type Column, type FoundInFile, type NumberReading, UploadRefused } from "./upload-tasks.ts";

type NumberForm = (typeof numberForms)[number];

const spaces = " \\x{a0}\\x{2009}\\x{202f}";
const gap = `[${spaces}]*`;
const sign = "[-+\\x{2212}]";
/** A percent sign, or a currency by its sign or its letters. */
const unit = "(?:%|\\p{Sc}|[A-Z]{1,3}\\p{Sc}|[A-Z]{3}|kr\\.?|Kč|zł|Ft|lei|Fr\\.?)";
const shownLength = 100;

/** The separators of a form, by its example: `1.234,56`. */
function separatorsOf(form: NumberForm): { thousands: string; decimal: string } {
  return { thousands: form.length === 8 ? form.charAt(1) : "", decimal: form.charAt(form.length - 3) };
}

/** A regular expression for a separator of thousands. */
const thousandsClasses: Record<string, string> = {
  ",": "[,]",
  ".": "[.]",
  " ": `[${spaces}]`,
  "'": "['\\x{2019}]",
};

/** A number in a form, with its sign before or behind it or in brackets, and with a currency or percent sign. */
function patternOf(form: NumberForm): string {
  const { thousands, decimal } = separatorsOf(form);
  const grouped = thousands === "" ? "" : `|[1-9][0-9]{0,2}(?:${thousandsClasses[thousands]}[0-9]{3})+`;
  const number = `(?:0|[1-9][0-9]*${grouped})(?:[${decimal}][0-9]+)?`;
  const inUnits = `(?:${unit}${gap})?${number}(?:${gap}${unit})?`;
  return `${gap}(?:${sign}?${gap}${inUnits}|${unit}${gap}${sign}${gap}${number}|${number}(?:${gap}${unit})?${gap}${sign}|\\(${gap}${inUnits}${gap}\\))${gap}`;
}

const matches = (form: NumberForm, text: TrustedSql): TrustedSql =>
  sql`regexp_full_match(${text}, ${sqlString(patternOf(form))})`;

/** What is left of a number without digits, separators, spaces and signs. */
const unitOf = (text: TrustedSql): TrustedSql =>
  sql`regexp_replace(${text}, ${sqlString(`[-+\\x{2212}()0-9.,'\\x{2019}${spaces}]`)}, '', 'g')`;

const isUnit = (text: TrustedSql): TrustedSql =>
  sql`regexp_full_match(${text}, ${sqlString(`(?:${unit})?|kr|Fr`)})`;

/** Whether all values of a column are texts with numbers in a form, with the same unit or none. NULL without values. */
function fitsAll(source: FileSource, column: number, form: NumberForm): TrustedSql {
  const text = source.text(column);
  const fits = allOf(isText(source, column), matches(form, text), isUnit(unitOf(text)));
  return sql`bool_and(CASE WHEN ${text} IS NULL THEN NULL ELSE ${fits} END) AND min(${unitOf(text)}) = max(${unitOf(text)})`;
}

const isText = (source: FileSource, column: number): TrustedSql => source.isText?.(column) ?? sql`true`;

/** Whether a column has texts, and not just numbers or nothing. */
export async function hasTexts(
  connection: DuckdbConnection,
  source: FileSource,
  column: number,
): Promise<boolean> {
  const found = await connection.runAndReadAll(
    sql`SELECT 1 FROM ${source.from} WHERE ${source.text(column)} IS NOT NULL AND ${isText(source, column)} LIMIT 1`,
  );
  return found.getRows().length > 0;
}

/** The same number as in JSON. Of a percentage, the number that it means, with all its digits. */
function toPlainNumber(form: NumberForm, text: TrustedSql): TrustedSql {
  const { thousands, decimal } = separatorsOf(form);
  const body = sql`regexp_extract(${text}, '[0-9](?:.*[0-9])?')`;
  const whole =
    thousands === ""
      ? body
      : sql`regexp_replace(${body}, ${sqlString(thousandsClasses[thousands] ?? "")}, '', 'g')`;
  const number = decimal === "." ? whole : sql`replace(${whole}, ',', '.')`;
  const minus = sql`CASE WHEN regexp_matches(${text}, '[-(\x{2212}]') THEN '-' ELSE '' END`;
  return sql`${minus} || CASE WHEN contains(${text}, '%') THEN ${hundredthOf(number)} ELSE ${number} END`;
}

/** Moves the point of a number by two digits: 12.5 becomes 0.125. */
function hundredthOf(number: TrustedSql): TrustedSql {
  const moved = sql`regexp_replace('00' || ${number}, '([0-9]{2})(?:[.]([0-9]+))?$', '.\1\2')`;
  return sql`regexp_replace(${moved}, '^0+([0-9])', '\1')`;
}

export interface AskedForms {
  /** By the names of columns. Each must be one of the file. */
  numbers?: FileReading["numbers"];
  /** Those of the table's files before. Used for the columns that the file has, unless `numbers` is there. */
  numbersBefore?: FileReading["numbers"];
  /** Filled with the column that is refused, and with the forms that fit it. Without it, these are not looked for. */
  found?: FoundInFile | undefined;
}

/** Reads the texts of some columns as numbers. Refuses a text that is no number in the form of its column. */
export async function withNumberForms(
  connection: DuckdbConnection,
  source: FileSource,
  asked: AskedForms,
): Promise<FileSource> {
  const forms = findForms(source, asked);
  const read: ReadColumn[] = [];
  for (const one of forms) {
    // A file with numbers needs no form, whatever the table's files before had.
    if (asked.numbers || (await hasTexts(connection, source, one.column))) read.push(one);
  }
  const { textColumns } = source;
  if (read.length === 0 || !textColumns) return source;
  const reading = {
    ...source.reading,
    numbers: Object.fromEntries(read.map(({ name, form }) => [name, form])),
  };
  const units = new Map<number, string>();
  for (const one of read) {
    const { fits, unit: unitFound } = await readUnit(connection, source, one);
    if (!fits) {
      if (asked.found) {
        asked.found.reading = reading;
        asked.found.misread = await findFittingForms(connection, source, one);
      }
      await refuseOtherForm(connection, source, one);
    }
    if (unitFound !== undefined) units.set(one.column, unitFound);
  }
  const replaced = read.flatMap(({ column, form }) =>
    textColumns(column).map((name) => sql`${toPlainNumber(form, source.text(column))} AS ${name}`),
  );
  return {
    ...source,
    units,
    from: sql`(SELECT * REPLACE (${sqlList(replaced)}) FROM ${source.from})`,
    reading,
    written: source,
  };
}

interface ReadColumn {
  column: number;
  /** As the file has it. */
  name: string;
  form: NumberForm;
}

function findForms({ names }: FileSource, { numbers, numbersBefore = {} }: AskedForms): ReadColumn[] {
  const positions = positionsOf(names);
  const found = new Map<number, ReadColumn>();
  for (const [name, form] of Object.entries(numbers ?? numbersBefore)) {
    const column = positions.get(foldName(name));
    if (column === undefined) {
      if (numbers) throw unreadable(`The file has no column ${name}. Leave out how its numbers are written.`);
      continue;
    }
    if (numbers && found.has(column)) {
      throw unreadable(
        `The column ${name} is in numbers twice. Send one way in which its numbers are written.`,
      );
    }
    found.set(column, { column, name: names[column] ?? name, form });
  }
  return [...found.values()];
}

const unreadable = (message: string) => new UploadRefused("unreadable", message);

/** Whether all values of a column are in its form with one unit. The unit is undefined without values. */
async function readUnit(
  connection: DuckdbConnection,
  source: FileSource,
  { column, form }: ReadColumn,
): Promise<{ fits: boolean; unit: string | undefined }> {
  const totals = await connection.runAndReadAll(
    sql`SELECT ${fitsAll(source, column, form)}, min(${unitOf(source.text(column))}) FROM ${source.from} LIMIT 1`,
  );
  const [[fits, found] = []] = totals.getRows();
  return { fits: fits !== false, unit: typeof found === "string" ? found : undefined };
}

async function findFittingForms(
  connection: DuckdbConnection,
  source: FileSource,
  { column, name }: ReadColumn,
): Promise<NonNullable<FoundInFile["misread"]>> {
  const open = numberForms.map((form) => ({ column, name, form }));
  return { column: name, numberReadings: await tryForms(connection, source, open) };
}

/** Refuses a value in another form or with another unit. */
async function refuseOtherForm(
  connection: DuckdbConnection,
  source: FileSource,
  { column, name, form }: ReadColumn,
): Promise<void> {
  const text = source.text(column);
  const reader = await connection.runAndReadAll(
    sql`SELECT row, left(text, ${shownLength}), ${allOf(sql`is_text`, matches(form, sql`text`), isUnit(sql`unit`))}, first_unit FROM (
       SELECT row_number() OVER () AS row, ${text} AS text, ${isText(source, column)} AS is_text, ${unitOf(text)} AS unit, first_value(${unitOf(text)} IGNORE NULLS) OVER (ORDER BY NULL ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS first_unit
       FROM ${source.from})
     WHERE text IS NOT NULL AND NOT ${allOf(sql`is_text`, matches(form, sql`text`), isUnit(sql`unit`), sql`unit = first_unit`)} ORDER BY row LIMIT 1`,
  );
  const [found] = reader.getRows();
  if (!found) return;
  const [row, value, isNumber, first] = found;
  const place = await source.placeOf(Number(row));
  throw unreadable(
    isNumber !== true
      ? `${place}: “${value}” in the column ${name} is no number written like ${form}. Choose another form for them (numbers), read the column as text, or correct the file.`
      : `${place}: “${value}” in the column ${name} has another unit than the first value, which has ${first === "" ? "none" : first}. Read the column as text, or correct the file.`,
  );
}

/**
 * The ways in which all values of a column of texts can be read as numbers, also of a column that is read in one of them.
 */
export async function findNumberReadings(
  connection: DuckdbConnection,
  source: FileSource,
  columns: readonly Column[],
): Promise<NumberReading[]> {
  if (!source.textColumns) return [];
  const open = columns.flatMap(({ name, type }, column) =>
    (isReadInForm(source, name) ? numberForms : formsToTry(source, type)).map((form) => ({
      column,
      name,
      form,
    })),
  );
  return tryForms(connection, source.written ?? source, open, source.reading?.numbers);
}

/** Those of some forms that fit all values of their columns. */
async function tryForms(
  connection: DuckdbConnection,
  source: FileSource,
  asked: readonly ReadColumn[],
  chosen: FileReading["numbers"] = {},
): Promise<NumberReading[]> {
  let open = asked.map((one) => ({ ...one, written: "", read: "" }));
  const passes =
    (source.rowCount ?? Number.POSITIVE_INFINITY) <= firstRowCount ? [source] : [firstRowsOf(source), source];
  for (const rows of passes) {
    if (open.length === 0) return [];
    const totals = open.map(({ column, form }) => {
      const text = source.text(column);
      const example = sql`arg_max(${text}, length(${text}) + CASE WHEN regexp_matches(${text}, ${sqlString(separated)}) THEN ${longestNumber} ELSE 0 END)`;
      const fits = fitsAll(source, column, form);
      // A column can have its first value after the first rows.
      const isOpen = rows === source ? fits : sql`coalesce(${fits}, true)`;
      return sql`CASE WHEN ${isOpen} THEN [left(${example}, ${shownLength}), left(${toPlainNumber(form, example)}, ${shownLength})] END`;
    });
    const reader = await connection.runAndReadAll(sql`SELECT ${sqlList(totals)} FROM ${rows.from} LIMIT 1`);
    const [row = []] = reader.getRowsJson();
    open = open.flatMap((one, index) => {
      const pair: unknown = row[index];
      if (!Array.isArray(pair)) return [];
      return [{ ...one, written: String(pair[0]), read: String(pair[1]) }];
    });
  }
  // Where no value has thousands or decimals, several forms read the same. The chosen one stays, or the first.
  const different = Map.groupBy(open, ({ column, read }) => `${column} ${read}`);
  return [...different.values()].flatMap((readings) => {
    const kept = readings.find(({ name, form }) => chosen[name] === form) ?? readings[0];
    if (!kept) return [];
    const { name, form, written, read } = kept;
    return [{ column: name, form, written, read }];
  });
}

/** The example is a number with a separator, if there is one: it shows how the forms differ. */
const separated = "[0-9][^0-9]+[0-9]";
const longestNumber = 1_000_000_000;

/** Whether the numbers of a column are read in a form. */
export const isReadInForm = ({ reading }: FileSource, name: string): boolean =>
  Object.hasOwn(reading?.numbers ?? {}, name);

/** In a file of texts, points can be read as separators of thousands even in a column of numbers: 1.234. */
function formsToTry({ isText: hasNumbers }: FileSource, type: string): readonly NumberForm[] {
  if (type === "VARCHAR") return numberForms;
  return !hasNumbers && (type === "DOUBLE" || type.startsWith("DECIMAL(")) ? ["1.234,56"] : [];
}
