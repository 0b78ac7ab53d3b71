import type { DuckdbConnection } from "../driver.ts";
import { type OwnSql, sql } from "../own-sql.ts";
import { expressionsOfIndex, generatedExpressions, queryOfView } from "./definition-parts.ts";

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
  const read = async (query: OwnSql) =>
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
