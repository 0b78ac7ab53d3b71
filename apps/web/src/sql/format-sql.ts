import type { EngineKind } from "../engines/engine.ts";
import { engines } from "../engines/engines.ts";

const placeholder = String.raw`\{\{\s*[A-Za-z_]\w*\s*\}\}`;

/** Formats a statement. Loads the formatter on first use; throws if the statement cannot be parsed. */
export async function formatSql(text: string, engine: EngineKind): Promise<string> {
  const { formatDialect } = await import("sql-formatter");
  return formatDialect(text, {
    dialect: await engines[engine].loadFormatter(),
    keywordCase: "upper",
    paramTypes: { custom: [{ regex: placeholder }] },
  });
}
