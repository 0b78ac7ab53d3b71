import { randomUUID } from "node:crypto";
import type { DuckDBConnection } from "@duckdb/node-api";
import { checkColumns } from "./check-columns.ts";
import { castText, holdsText } from "./exact-text.ts";
import type { FileSource } from "./file-source.ts";
import { findJsonLine } from "./find-line.ts";
import { lookOfJson } from "./guess-type.ts";
import { sqlString } from "./sql-text.ts";
import { UploadRefused } from "./upload-tasks.ts";

const orderedLines = 1000;

export async function openJsonLines(connection: DuckDBConnection, path: string): Promise<FileSource> {
  const lines = `read_ndjson_objects(${sqlString(path)})`;
  const { keys, needsExactNumbers } = await readKeys(connection, lines);
  if (keys === undefined) throw await describeBrokenObject(connection, path);
  checkColumns(keys);
  const [json, text] = [(column: number) => `j${column}`, (column: number) => `t${column}`];
  return {
    names: keys,
    from: valuesOf(lines, { keys, needsExactNumbers }),
    textType: "JSON",
    text,
    look: (column) => lookOfJson(json(column), text(column)),
    holds(column, target) {
      if (target.type === "JSON" || target.type === "VARCHAR") return "true";
      return `(${json(column)}[1] NOT IN ('{', '[') AND ${holdsText(target, text(column))})`;
    },
    cast: (column, target) =>
      target.type === "JSON" ? `CAST(${json(column)} AS JSON)` : castText(target, text(column)),
    placeOf: async (row) => `Line ${await findJsonLine(path, row)}`,
  };
}

interface Keys {
  /** Undefined if a line is no object, or has a key twice. */
  keys: string[] | undefined;
  needsExactNumbers: boolean;
}

const isBroken = "(json_type(json) <> 'OBJECT' OR len(json_keys(json)) <> list_unique(json_keys(json)))";

/** The keys of all objects: those of the first lines in their order, then the others by name. */
async function readKeys(connection: DuckDBConnection, lines: string): Promise<Keys> {
  const first = await connection.runAndReadAll(
    `SELECT unnest(json_keys(json)) FROM (SELECT json FROM ${lines} LIMIT ${orderedLines})`,
  );
  const all = await connection.runAndReadAll(
    `SELECT key, bool_or(is_broken), bool_or(is_changed)
     FROM (SELECT unnest(CASE WHEN is_broken OR keys = [] THEN [NULL] ELSE keys END) AS key, is_broken, is_changed
       FROM (SELECT json_keys(json) AS keys, ${isBroken} AS is_broken, ${changesNumbers("json")} AS is_changed FROM ${lines}))
     GROUP BY key ORDER BY key`,
  );
  const rows = all.getRows();
  if (rows.some(([, broken]) => broken === true)) return { keys: undefined, needsExactNumbers: false };
  const inOrder = new Set(first.getRows().map(([key]) => String(key)));
  for (const [key] of rows) if (key !== null) inOrder.add(String(key));
  return { keys: [...inOrder], needsExactNumbers: rows.some(([, , changed]) => changed === true) };
}

async function describeBrokenObject(connection: DuckDBConnection, path: string): Promise<UploadRefused> {
  const reader = await connection.runAndReadAll(
    `SELECT row, json_type(json), list_filter(json_keys(json), lambda key: len(list_filter(json_keys(json), lambda other: other = key)) > 1)[1]
     FROM (SELECT row_number() OVER () AS row, json FROM read_ndjson_objects(${sqlString(path)})) WHERE ${isBroken} LIMIT 1`,
  );
  const [[row, type, key] = []] = reader.getRows();
  const line = await findJsonLine(path, Number(row));
  return new UploadRefused(
    "unreadable",
    type === "OBJECT"
      ? `Line ${line} has the key ${key} twice. Remove one of the two, and upload the file again.`
      : notAnObject(line),
  );
}

export const notAnObject = (line: number): string =>
  `Line ${line} is not an object of JSON. Each line must be one, like {"id": 1}.`;

/**
 * Whether DuckDB may change a number of a line: it reads those with a point or an exponent as doubles. It may change a
 * number of more than 15 digits that is not the shortest form of its double, one with a large exponent, and `-0`.
 */
const changesNumbers = (json: string): string =>
  `(regexp_matches(${json}, '[0-9]{16}[eE]|[0-9][eE][+-]?[0-9]{3,}[],} \\t\\r]|[:,[ \\t]-0[],} \\t\\r]')
    OR len(list_filter(regexp_extract_all(${json}, '[0-9]+\\.[0-9]+(?:[eE][+-]?[0-9]+)?'), lambda number: length(number) > 16 AND CAST(TRY_CAST(number AS DOUBLE) AS VARCHAR) <> number)) > 0)`;

/** The value of each key as JSON and as text. */
function valuesOf(
  lines: string,
  { keys, needsExactNumbers }: { keys: string[]; needsExactNumbers: boolean },
): string {
  const structure = `{${keys.map((key) => `${JSON.stringify(key)}: "JSON"`).join(", ")}}`;
  // Numbers that would be changed are put in quotes while DuckDB reads the line, with a mark that no value has.
  const mark = randomUUID();
  const source = needsExactNumbers
    ? `CASE WHEN ${changesNumbers("json")} THEN ${markNumbers("json", mark)} ELSE json END`
    : "json";
  const jsons = keys.map((_, column) => {
    const value = `CAST(struct_extract_at(value, ${column + 1}) AS VARCHAR)`;
    if (!needsExactNumbers) return `${value} AS j${column}`;
    return `CASE WHEN contains(${value}, '${mark}') THEN regexp_replace(${value}, '"${mark}([^"]*)"', '\\1', 'g') ELSE ${value} END AS j${column}`;
  });
  const texts = keys.map(
    (_, column) =>
      `CASE WHEN j${column}[1] = '"' THEN json_extract_string(j${column}, '$') ELSE j${column} END AS t${column}`,
  );
  const structs = `SELECT json_transform(${source}, ${sqlString(structure)}) AS value FROM ${lines}`;
  return `(SELECT *, ${texts.join(", ")} FROM (SELECT ${jsons.join(", ")} FROM (${structs})))`;
}

const textOrNumber = '("(?:[^"\\\\]|\\\\.)*")|(-?[0-9][0-9.eE+-]*)';

/** Puts each number into quotes, after the mark. Control characters, which JSON has only in escapes, tell texts apart. */
const markNumbers = (json: string, mark: string): string =>
  `replace(replace(replace(regexp_replace(${json}, ${sqlString(textOrNumber)}, '\\1' || chr(1) || '\\2' || chr(2), 'g'), chr(1) || chr(2), ''), chr(1), '"${mark}'), chr(2), '"')`;
