import type { Engine } from "../engine.ts";

export const postgres: Engine = {
  label: "Postgres",
  defaultSchema: "public",
  listsTablesBySchema: false,
  editor: { base: "PostgreSQL", keywords: "", types: "", offeredKeywords: "" },
  loadFormatter: async () => (await import("sql-formatter")).postgresql,
};
