import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { shorten } from "@querybell/domain/text";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlList, sqlString, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { allOf, anyOf, castText, holdsText, isExactFloat } from "./exact-values.ts";
import { checkColumns, type FileSource } from "./file-source.ts";
import { lookOfJson } from "./guess-type.ts";
import { UploadRefused } from "./upload-tasks.ts";

const orderedLines = 1000;
const shownLength = 100;

interface JsonLinesFile {
  path: string;
  /** What a line is called in sentences for the person who sent the file. */
  unit: JsonUnit;
}

/** A line of JSON lines, or an element of a list that was written as lines. */
export type JsonUnit = "Line" | "Element";

export async function openJsonLines(
  connection: DuckdbConnection,
  { path, unit }: JsonLinesFile,
): Promise<FileSource> {
  const lines = sql`read_ndjson_objects(${sqlString(path)})`;
  const { keys, needsExactNumbers } = await readKeys(connection, lines);
  if (keys === undefined) throw await describeBrokenObject(connection, { path, unit });
  if (keys.length === 0) {
    throw new UploadRefused(
      "unreadable",
      'The file has no values. Upload one with an object on each line, like {"id": 1}, or with a list of objects.',
    );
  }
  checkColumns(keys);
  return {
    ...sourceOf(lines, { keys, needsExactNumbers, textType: "JSON" }),
    placeOf: async (row) => `${unit} ${unit === "Element" ? row : await findJsonLine(path, row)}`,
  };
}

/** A file that was written with these keys. Its numbers may need all their digits. */
export const openWrittenLines = (path: string, keys: string[]): Omit<FileSource, "placeOf"> =>
  sourceOf(sql`read_ndjson_objects(${sqlString(path)})`, {
    keys,
    needsExactNumbers: true,
    textType: "VARCHAR",
  });

interface SourceOptions extends Pick<FileSource, "textType"> {
  keys: string[];
  needsExactNumbers: boolean;
}

function sourceOf(
  lines: TrustedSql,
  { keys, needsExactNumbers, textType }: SourceOptions,
): Omit<FileSource, "placeOf"> {
  const [json, text] = [(column: number) => sql`j${column}`, (column: number) => sql`t${column}`];
  return {
    names: keys,
    from: valuesOf(lines, { keys, needsExactNumbers }),
    textType,
    text,
    textColumns: (column) => [json(column), text(column)],
    isText: (column) => sql`${json(column)}[1] = '"'`,
    look: (column) => lookOfJson(json(column), text(column)),
    holds(column, target) {
      if (target.type === "JSON" || target.type === "VARCHAR") return sql`true`;
      return allOf(sql`${json(column)}[1] NOT IN ('{', '[')`, holdsText(target, text(column)));
    },
    cast: (column, target) =>
      target.type === "JSON" ? sql`CAST(${json(column)} AS JSON)` : castText(target, text(column)),
  };
}

interface Keys {
  /** Undefined if a line is no object, or has a key twice. */
  keys: string[] | undefined;
  needsExactNumbers: boolean;
}

const isBroken = (type: TrustedSql, keys: TrustedSql): TrustedSql =>
  anyOf(sql`${type} <> 'OBJECT'`, sql`len(${keys}) <> list_unique(${keys})`);

/** The keys of all objects: those of the first lines in their order, then the others by name. */
async function readKeys(connection: DuckdbConnection, lines: TrustedSql): Promise<Keys> {
  const sample = await connection.runAndReadAll(
    sql`SELECT unnest(json_keys(json)) FROM (SELECT json FROM ${lines} LIMIT ${orderedLines})`,
  );
  const first = new Set(sample.getRows().map(([key]) => String(key)));
  // The keys become part of a statement.
  checkColumns([...first]);
  // Most files have the same keys on all lines. Such lines need no check for duplicate keys.
  const usual = sql`[${sqlList([...first].map(sqlString))}]::VARCHAR[]`;
  const all = await connection.runAndReadAll(
    sql`SELECT key, bool_or(is_broken), bool_or(is_changed)
     FROM (SELECT unnest(CASE WHEN is_broken OR keys = [] THEN [NULL] ELSE keys END) AS key, is_broken, is_changed
       FROM (SELECT keys, CASE WHEN keys = ${usual} AND keys <> [] THEN false ELSE ${isBroken(sql`type`, sql`keys`)} END AS is_broken, is_changed
         FROM (SELECT json_type(json) AS type, json_keys(json) AS keys, ${changesNumbers(sql`json`)} AS is_changed FROM ${lines})))
     GROUP BY key ORDER BY key`,
  );
  const rows = all.getRows();
  if (rows.some(([, broken]) => broken === true)) return { keys: undefined, needsExactNumbers: false };
  const others = rows.flatMap(([key]) => (key === null ? [] : [String(key)]));
  return {
    keys: [...new Set([...first, ...others])],
    needsExactNumbers: rows.some(([, , changed]) => changed === true),
  };
}

async function describeBrokenObject(
  connection: DuckdbConnection,
  { path, unit }: JsonLinesFile,
): Promise<UploadRefused> {
  const reader = await connection.runAndReadAll(
    sql`SELECT row, json_type(json), list_aggregate(json_keys(json), 'mode')
     FROM (SELECT row_number() OVER () AS row, json FROM read_ndjson_objects(${sqlString(path)})) WHERE ${isBroken(sql`json_type(json)`, sql`json_keys(json)`)} LIMIT 1`,
  );
  const [[row, type, key] = []] = reader.getRows();
  const line = unit === "Element" ? Number(row) : await findJsonLine(path, Number(row));
  return new UploadRefused(
    "unreadable",
    type === "OBJECT"
      ? `${unit} ${line} has the key ${shorten(String(key), shownLength)} twice. Remove one of the two, and upload the file again.`
      : notAnObject(unit, line),
  );
}

export const notAnObject = (unit: JsonUnit, line: number): string =>
  `${unit} ${line} is not an object of JSON. Each ${unit.toLowerCase()} must be one, like {"id": 1}.`;

/**
 * Whether DuckDB may change a number of a line: it reads those with a point or an exponent as doubles. It may change a
 * number of more than 15 digits that is not the shortest form of its double, one with a large exponent, and `-0`.
 */
const changesNumbers = (json: TrustedSql): TrustedSql =>
  anyOf(
    sql`regexp_matches(${json}, '[0-9]{16}[eE]|[0-9][eE][+-]?[0-9]{3,}[],} \t\r]|[:,[ \t\r]-0[],} \t\r]')`,
    sql`len(list_filter(regexp_extract_all(${json}, '[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?'), lambda number: ${allOf(sql`length(number) > 16`, sql`NOT ${isExactFloat("DOUBLE", sql`number`)}`)})) > 0`,
  );

/** The value of each key as JSON and as text. */
function valuesOf(
  lines: TrustedSql,
  { keys, needsExactNumbers }: { keys: string[]; needsExactNumbers: boolean },
): TrustedSql {
  const structure = `{${keys.map((key) => `${JSON.stringify(key)}: "JSON"`).join(", ")}}`;
  // Numbers that DuckDB would change are quoted while it reads the line, with a marker that no value
  // contains.
  const mark = randomUUID();
  const source = needsExactNumbers
    ? sql`CASE WHEN ${changesNumbers(sql`json`)} THEN ${markNumbers(sql`json`, mark)} ELSE json END`
    : sql`json`;
  const jsons = keys.map((_, column) => {
    const value = sql`CAST(struct_extract_at(value, ${column + 1}) AS VARCHAR)`;
    if (!needsExactNumbers) return sql`${value} AS j${column}`;
    return sql`CASE WHEN contains(${value}, ${sqlString(mark)}) THEN regexp_replace(${value}, ${sqlString(`"${mark}([^"]*)"`)}, '\1', 'g') ELSE ${value} END AS j${column}`;
  });
  const texts = keys.map(
    (_, column) =>
      sql`CASE WHEN j${column}[1] = '"' THEN json_extract_string(j${column}, '$') ELSE j${column} END AS t${column}`,
  );
  const structs = sql`SELECT json_transform(${source}, ${sqlString(structure)}) AS value FROM ${lines}`;
  return sql`(SELECT *, ${sqlList(texts)} FROM (SELECT ${sqlList(jsons)} FROM (${structs})))`;
}

const textOrNumber = '("(?:[^"\\\\]|\\\\.)*")|(-?[0-9][0-9.eE+-]*)';

/** Puts each number into quotes, after the marker. The control characters cannot occur in valid JSON. */
const markNumbers = (json: TrustedSql, mark: string): TrustedSql =>
  sql`replace(replace(replace(regexp_replace(${json}, ${sqlString(textOrNumber)}, '\1' || chr(1) || '\2' || chr(2), 'g'), chr(1) || chr(2), ''), chr(1), ${sqlString(`"${mark}`)}), chr(2), '"')`;

const lineFeed = 0x0a;
const spaces = new Set(Buffer.from(" \t\n\v\f\r"));

interface Line {
  /** Counted from 1. */
  number: number;
  bytes: Buffer;
}

/** The lines of a file that are not blank. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  let pieces: Buffer[] = [];
  const take = (): Line => {
    const bytes = Buffer.concat(pieces);
    pieces = [];
    number++;
    return { number, bytes };
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      pieces.push(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (!isBlank(line)) yield line;
    }
    pieces.push(chunk.subarray(start));
  }
  const last = take();
  if (!isBlank(last)) yield last;
}

/** Whether DuckDB leaves out a line: it has nothing but spaces. */
const isBlank = ({ bytes }: Line): boolean => bytes.every((byte) => spaces.has(byte));

/** The line of a row of a file with JSON lines. */
async function findJsonLine(path: string, row: number): Promise<number> {
  let rows = 0;
  for await (const { number } of readLines(path)) {
    if (++rows === row) return number;
  }
  return rows;
}
