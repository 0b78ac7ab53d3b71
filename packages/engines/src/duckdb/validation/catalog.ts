import { isSignificant, type Token, tokenize } from "@querybell/statements/tokenizer";
import type { DuckdbConnection } from "../driver.ts";
import { duckdbDialect } from "../duckdb-engine.ts";
import { sql, type TrustedSql } from "../trusted-sql.ts";
import { openParser } from "./parse-select.ts";

/**
 * Definitions that DuckDB expands or evaluates when a statement uses them, by their names in lower case. A name can
 * have several definitions: in several schemas, or as overloads of a macro.
 */
export interface FileCatalog {
  /** Queries. */
  views: ReadonlyMap<string, string[]>;
  /** Queries. */
  tableMacros: ReadonlyMap<string, string[]>;
  /** Expressions. */
  macros: ReadonlyMap<string, string[]>;
  /** Every table, with the expressions of its generated columns and of its indexes. */
  tables: ReadonlyMap<string, string[]>;
}

// Function names are qualified, because a macro of the file could shadow them. None of these statements binds a view
// or a macro.
const viewsSql = sql`SELECT view_name, sql FROM system.main.duckdb_views() WHERE NOT internal`;
const macrosSql = sql`
  SELECT function_name, macro_definition, function_type FROM system.main.duckdb_functions() WHERE NOT internal`;
const tablesSql = sql`SELECT table_name, sql FROM system.main.duckdb_tables() WHERE NOT internal`;
const indexesSql = sql`SELECT table_name, sql FROM system.main.duckdb_indexes() WHERE sql IS NOT NULL`;

type Row = [name: string, definition: string, type?: string];

export async function readFileCatalog(connection: DuckdbConnection): Promise<FileCatalog> {
  const read = async (query: TrustedSql) =>
    (await connection.runAndReadAll(query))
      .getRowsJson()
      .map(([name, text, type]): Row => [String(name), String(text), String(type)]);
  const macros = await read(macrosSql);
  const isTableMacro = ([, , type]: Row) => type === "table_macro";
  return {
    views: group(await read(viewsSql), (definition) => [queryOfView(definition)]),
    tableMacros: group(macros.filter(isTableMacro), (definition) => [definition]),
    macros: group(
      macros.filter((row) => !isTableMacro(row)),
      (definition) => [definition],
    ),
    tables: group([...(await read(tablesSql)), ...(await read(indexesSql))], (definition) =>
      definition.startsWith("CREATE TABLE")
        ? generatedExpressions(definition)
        : expressionsOfIndex(definition),
    ),
  };
}

function group(rows: Row[], parts: (definition: string) => string[]): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, definition] of rows) {
    const key = name.toLowerCase();
    byName.set(key, [...(byName.get(key) ?? []), ...parts(definition)]);
  }
  return byName;
}

let reading: Promise<ReadonlyMap<string, string[]>> | undefined;

/** The queries of DuckDB's own views, such as information_schema.tables, by their names. */
export function systemViews(): Promise<ReadonlyMap<string, string[]>> {
  reading ??= read();
  return reading;
}

async function read(): Promise<ReadonlyMap<string, string[]>> {
  const connection = await openParser();
  const reader = await connection.runAndReadAll(
    sql`SELECT view_name, sql FROM duckdb_views() WHERE internal`,
  );
  const queries = new Map<string, string[]>();
  for (const [name, definition] of reader.getRowsJson()) {
    const key = String(name).toLowerCase();
    queries.set(key, [...(queries.get(key) ?? []), queryOfView(String(definition))]);
  }
  return queries;
}

/** The query of `CREATE VIEW name (columns) AS query`: what follows the first AS outside of parentheses. */
function queryOfView(sql: string): string {
  let depth = 0;
  for (const token of significantTokens(sql)) {
    if (token.text === "(") depth++;
    else if (token.text === ")") depth--;
    else if (depth === 0 && isWord(token, "as")) return sql.slice(token.start + token.text.length);
  }
  return sql;
}

/** The expressions of `CREATE INDEX name ON table (expressions)`, as one expression in parentheses. */
function expressionsOfIndex(sql: string): string[] {
  const tokens = significantTokens(sql);
  const opening = tokens.findIndex((token) => token.text === "(");
  return opening === -1 ? [] : [parenthesized(sql, tokens, opening)];
}

/** The expressions of a table's generated columns. A default is evaluated when writing only. */
function generatedExpressions(sql: string): string[] {
  const tokens = significantTokens(sql);
  return tokens.flatMap((token, at) =>
    token.text === "(" && isWord(tokens[at - 1], "as") && isWord(tokens[at - 2], "always")
      ? [parenthesized(sql, tokens, at)]
      : [],
  );
}

const significantTokens = (sql: string): Token[] => tokenize(sql, duckdbDialect).filter(isSignificant);

const isWord = (token: Token | undefined, word: string): boolean =>
  token?.kind === "word" && token.text.toLowerCase() === word;

function parenthesized(sql: string, tokens: Token[], opening: number): string {
  let depth = 0;
  for (const token of tokens.slice(opening)) {
    if (token.text === "(") depth++;
    else if (token.text === ")") depth--;
    if (depth === 0) return sql.slice(tokens[opening]?.start, token.start + 1);
  }
  return sql;
}
