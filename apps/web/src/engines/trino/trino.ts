import type { Engine } from "../engine.ts";

export const trino: Engine = {
  label: "Trino",
  // Its tables come from the schema that the database is configured with.
  defaultSchema: "",
  listsTablesBySchema: true,
  editor: {
    base: "StandardSQL",
    keywords: "limit tablesample bernoulli match_recognize unnest ordinality",
    types: "varbinary json uuid ipaddress row map hyperloglog tdigest",
    offeredKeywords: "unnest tablesample match_recognize",
  },
  loadFormatter: async () => (await import("sql-formatter")).trino,
};
