import type { EngineKind } from "./sql-language.ts";

const placeholder = String.raw`\{\{\s*[A-Za-z_]\w*\s*\}\}`;

/** The statement, laid out. Loaded when first asked for; throws with a sentence when the statement cannot be read. */
export async function formatSql(text: string, engine: EngineKind): Promise<string> {
  const { duckdb, formatDialect, postgresql } = await import("sql-formatter");
  return formatDialect(text, {
    dialect: engine === "duckdb" ? duckdb : postgresql,
    keywordCase: "upper",
    paramTypes: { custom: [{ regex: placeholder }] },
  });
}
