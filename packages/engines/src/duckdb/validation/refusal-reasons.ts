/** Why a function is refused, as the end of the sentence "… is not available, because it …", and what to do. */
const refusalReasons = {
  runsSql: { because: "reads text as SQL", instead: "Write the statement itself, and name tables in FROM." },
  rawMemory: { because: "takes addresses or raw memory", instead: "Use another function." },
  readsFiles: { because: "reads files", instead: "Query the tables of the database." },
  showsServer: {
    because: "shows the server and not the database",
    instead: "Use duckdb_tables(), duckdb_columns() or information_schema to see what the database holds.",
  },
  readsNames: { because: "takes the name of a table as text", instead: "Use DESCRIBE or SUMMARIZE." },
  changesState: { because: "changes the session or the database", instead: "A query can only read." },
  internal: { because: "is for DuckDB's own use", instead: "Use another function." },
} as const;

export type RefusalReason = keyof typeof refusalReasons;

export const describeRefusal = (name: string, reason: RefusalReason): string => {
  const { because, instead } = refusalReasons[reason];
  return `${name}() is not available to queries, because it ${because}. ${instead}`;
};
