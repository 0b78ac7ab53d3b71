import type { Dialect } from "../placeholders/dialect.ts";

export const duckdbDialect: Dialect = {
  name: "DuckDB",
  space: /[ \t\n\r\f\v\u00A0\u2000-\u200D\u202F\u205F\u2060\u3000\uFEFF]+/y,
  driverParameter: /\?\d*|\$\w+/y,
  parameter: (index) => `$${index}`,
  typeNames: {
    text: "VARCHAR",
    int4: "INTEGER",
    int8: "BIGINT",
    number: "DOUBLE",
    boolean: "BOOLEAN",
    date: "DATE",
    timestamp: "TIMESTAMPTZ",
  },
  quote: (text) => `'${text.replaceAll("'", "''")}'`,
  emptyList: "[]",
  // INTERVAL is not here: DuckDB reads INTERVAL ('3 days') and INTERVAL ('3') DAY as they stand.
  literalTypes: new Set(["date", "time", "timestamp", "timestamptz"]),
};
