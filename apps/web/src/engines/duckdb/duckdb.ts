import type { Engine } from "../engine.ts";

export const duckdb: Engine = {
  label: "DuckDB file",
  defaultSchema: "main",
  listsTablesBySchema: false,
  editor: {
    base: "PostgreSQL",
    keywords:
      "pivot unpivot qualify asof positional sample exclude replace columns summarize describe semi anti glob",
    types: "",
    offeredKeywords: "qualify pivot unpivot exclude replace columns summarize asof sample",
  },
  loadFormatter: async () => (await import("sql-formatter")).duckdb,
};
