import type { EngineKind } from "./sql-language.ts";

const placeholder = String.raw`\{\{\s*[A-Za-z_]\w*\s*\}\}`;

/** The statement, laid out. Loaded when first asked for; throws with a sentence when the statement cannot be read. */
export async function formatSql(text: string, engine: EngineKind): Promise<string> {
  const { duckdb, formatDialect, postgresql, trino } = await import("sql-formatter");
  return formatDialect(text, {
    dialect: { duckdb, postgres: postgresql, trino }[engine],
    keywordCase: "upper",
    paramTypes: { custom: [{ regex: placeholder }] },
  });
}
