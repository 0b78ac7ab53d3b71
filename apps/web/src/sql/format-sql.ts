import type { EngineKind } from "./engine-kinds.ts";

const placeholder = String.raw`\{\{\s*[A-Za-z_]\w*\s*\}\}`;

/** Formats a statement. Loads the formatter on first use; throws if the statement cannot be parsed. */
export async function formatSql(text: string, engine: EngineKind): Promise<string> {
  const { duckdb, formatDialect, postgresql, trino } = await import("sql-formatter");
  return formatDialect(text, {
    dialect: { duckdb, postgres: postgresql, trino }[engine],
    keywordCase: "upper",
    paramTypes: { custom: [{ regex: placeholder }] },
  });
}
