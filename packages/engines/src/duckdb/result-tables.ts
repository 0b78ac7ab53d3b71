import type { Field, FieldType, JsonValue } from "@querybell/domain/results";
import { EngineError } from "../engine.ts";
import { castText, fractionDigitsWithZeros, holdsText } from "../uploads/exact-values.ts";
import { nameColumns } from "../uploads/file-source.ts";
import type { DuckdbConnection } from "./driver.ts";
import { sql, sqlList, sqlName, sqlString, sqlType, type TrustedSql } from "./trusted-sql.ts";

/** A result that a statement can read as a table: `charts.<name>`. */
export interface NamedResult {
  name: string;
  fields: readonly Field[];
  rows: readonly (readonly JsonValue[])[];
}

const batchCharacters = 2 * 1024 ** 2;
const maxDigits = 38;
/** A name that no chart can have. */
const raw = sql`charts.main."the texts"`;

/** The types for the values of a field, of which the first is taken that holds all of them. DECIMAL gets its digits. */
const typesOfFields: Record<FieldType, readonly string[]> = {
  integer: ["BIGINT", "HUGEINT", "DECIMAL"],
  number: ["DOUBLE"],
  decimal: ["DECIMAL"],
  boolean: ["BOOLEAN"],
  string: ["VARCHAR"],
  date: ["DATE"],
  time: ["TIME", "TIME_NS", "TIME WITH TIME ZONE"],
  timestamp: ["TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"],
  json: ["JSON"],
  binary: ["BLOB"],
};

/** Makes a table of each result, in a database in memory beside that of the connection. */
export async function createResultTables(
  connection: DuckdbConnection,
  results: readonly NamedResult[],
): Promise<void> {
  const reader = await connection.runAndReadAll(sql`SELECT system.main.current_database()`);
  const database = String(reader.getRows()[0]?.[0]);
  await connection.run(sql`ATTACH ':memory:' AS charts (READ_WRITE)`);
  // A macro of the file could shadow a function that is used here.
  await connection.run(sql`USE charts`);
  for (const result of results) await createTable(connection, result);
  await connection.run(sql`USE ${sqlName(database)}`);
}

async function createTable(connection: DuckdbConnection, { name, fields, rows }: NamedResult): Promise<void> {
  const { names } = nameColumns(fields.map((field) => field.name));
  const texts = fields.map((_, column) => sql`c${column}`);
  await connection.run(sql`CREATE TABLE ${raw} (${sqlList(texts.map((text) => sql`${text} VARCHAR`))})`);
  await insertRows(connection, fields, rows);
  const types = await findTypes(connection, { name, fields });
  const columns = types.map((type, column) => {
    const text = sql`c${column}`;
    const value = type === "BLOB" ? sql`from_base64(${text})` : castText({ type }, withoutPlus(type, text));
    return sql`${value} AS ${sqlName(names[column] ?? "")}`;
  });
  await connection.run(
    sql`CREATE TABLE charts.main.${sqlName(name)} AS SELECT ${sqlList(columns)} FROM ${raw}`,
  );
  await connection.run(sql`DROP TABLE ${raw}`);
}

/** Inserts all values as texts, some megabytes at a time. */
async function insertRows(
  connection: DuckdbConnection,
  fields: readonly Field[],
  rows: NamedResult["rows"],
): Promise<void> {
  const values = sqlList(fields.map((_, column) => sql`row[${column + 1}]`));
  const insert = sql`INSERT INTO ${raw} SELECT ${values} FROM (SELECT unnest(CAST(CAST($1 AS JSON) AS VARCHAR[][])) AS row)`;
  let [batch, characters]: [string[], number] = [[], 0];
  const flush = async () => {
    if (batch.length > 0) await connection.run(insert, [`[${batch.join()}]`]);
    [batch, characters] = [[], 0];
  };
  for (const row of rows) {
    const text = JSON.stringify(fields.map(({ type }, column) => toText(row[column] ?? null, type)));
    batch.push(text);
    characters += text.length;
    if (characters > batchCharacters) await flush();
  }
  await flush();
}

function toText(value: JsonValue, type: FieldType): string | null {
  if (value === null) return null;
  return typeof value === "string" && type !== "json" ? value : JSON.stringify(value);
}

async function findTypes(
  connection: DuckdbConnection,
  { name, fields }: Pick<NamedResult, "name" | "fields">,
): Promise<string[]> {
  const candidates = await fitDecimals(connection, fields);
  // A value that this type does not hold names the column, if no type holds all of its values.
  const firstMissed = candidates.map((types, column) => {
    const text = sql`c${column}`;
    const missed = sql`${text} IS NOT NULL AND NOT coalesce(${holds(types.at(-1) ?? "BOOLEAN", text)}, false)`;
    return sql`left(min(CASE WHEN ${missed} THEN ${text} END), ${shownCharacters})`;
  });
  const totals = candidates.flatMap((types, column) =>
    types.map((type) => sql`coalesce(bool_and(${holds(type, sql`c${column}`)}), true)`),
  );
  const reader = await connection.runAndReadAll(
    sql`SELECT ${sqlList([...firstMissed, ...totals])} FROM ${raw}`,
  );
  const answers = [...(reader.getRows()[0] ?? [])];
  const missed = answers.splice(0, candidates.length);
  return candidates.map((types, column) => {
    const held = answers.splice(0, types.length);
    const type = types.find((_, at) => held[at] === true);
    if (type !== undefined) return type;
    throw new EngineError(
      "query_failed",
      `The column ${fields[column]?.name} of charts.${name} has values that no type here holds exactly, such as ${missed[column]}. Convert it to text in the chart's query.`,
    );
  });
}

const shownCharacters = 60;

/** Whether the type holds a text exactly. NULL for NULL. */
function holds(type: string, text: TrustedSql): TrustedSql {
  const condition =
    type === "BLOB" || type === "JSON"
      ? sql`true`
      : sql`(${holdsText({ type }, text)} OR ${holdsUnusualTime(type, text)})`;
  return sql`CASE WHEN ${text} IS NOT NULL THEN ${condition} END`;
}

const farDay = "(?:[+-][0-9]{6,}|[0-9]{4})-[0-9]{2}-[0-9]{2}";
const clock = "[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]{1,6})?";

/** Times that a file never means and that databases have: infinite ones, those with an offset, years with a sign. */
const unusualTimes: Record<string, string> = {
  DATE: `-?infinity|${farDay}`,
  TIMESTAMP: `-?infinity|${farDay}T${clock}`,
  "TIMESTAMP WITH TIME ZONE": `-?infinity|${farDay}T${clock}Z`,
  "TIME WITH TIME ZONE": `${clock}[+-][0-9]{2}:[0-9]{2}`,
};

function holdsUnusualTime(type: string, text: TrustedSql): TrustedSql {
  const form = unusualTimes[type];
  if (form === undefined) return sql`false`;
  const value = sql`TRY_CAST(${withoutPlus(type, text)} AS ${sqlType(type)})`;
  return sql`(regexp_full_match(${text}, ${sqlString(form)}) AND ${value} IS NOT NULL)`;
}

/** Years after 9999 come with a plus sign, which DuckDB does not read. */
const withoutPlus = (type: string, text: TrustedSql): TrustedSql =>
  unusualTimes[type] === undefined ? text : sql`ltrim(${text}, '+')`;

/** Replaces DECIMAL with the one for all digits of its column. */
async function fitDecimals(connection: DuckdbConnection, fields: readonly Field[]): Promise<string[][]> {
  const isDecimal = (type: FieldType) => typesOfFields[type].includes("DECIMAL");
  const digits = fields.map(({ type }, column) => {
    const text = sql`c${column}`;
    return isDecimal(type)
      ? sql`[coalesce(max(length(split_part(ltrim(${text}, '-'), '.', 1))), 1), coalesce(max(${fractionDigitsWithZeros(text)}), 0)]`
      : sql`NULL`;
  });
  const reader = await connection.runAndReadAll(sql`SELECT ${sqlList(digits)} FROM ${raw}`);
  const [row = []] = reader.getRowsJson();
  return fields.map(({ type }, column) => {
    const found: unknown = row[column];
    const [whole = 1, fraction = 0] = Array.isArray(found) ? found.map(Number) : [];
    const fits = whole + fraction <= maxDigits;
    return typesOfFields[type].flatMap((one) =>
      one === "DECIMAL" ? (fits ? [`DECIMAL(${whole + fraction},${fraction})`] : []) : [one],
    );
  });
}
