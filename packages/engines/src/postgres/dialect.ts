import type { Dialect } from "../placeholders/dialect.ts";

export const postgresDialect: Dialect = {
  name: "Postgres",
  space: /[ \t\n\r\f\v]+/y,
  driverParameter: /\$\d+/y,
  parameter: (index) => `$${index}`,
  // A number is numeric, as a written 9.99 is: numeric turns into float8 by itself where one is wanted,
  // and round(numeric, int) exists while round(float8, int) does not.
  typeNames: {
    text: "text",
    int4: "int4",
    int8: "int8",
    number: "numeric",
    boolean: "boolean",
    date: "date",
    timestamp: "timestamptz",
  },
  // With a backslash in it, the E form reads the same whether standard_conforming_strings is on or off.
  quote: (text) => {
    const quoted = `'${text.replaceAll("'", "''")}'`;
    return text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
  },
  emptyList: "'{}'",
  literalTypes: new Set(["date", "time", "timetz", "timestamp", "timestamptz", "interval"]),
};
