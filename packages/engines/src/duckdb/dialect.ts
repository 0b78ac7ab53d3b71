import type { BoundType, Dialect } from "@querybell/statements";
import { castingSlots } from "@querybell/statements/dialect";

const typeNames: Record<BoundType, string> = {
  text: "VARCHAR",
  int4: "INTEGER",
  int8: "BIGINT",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  date: "DATE",
  timestamp: "TIMESTAMPTZ",
};

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

export const duckdbDialect: Dialect = {
  name: "DuckDB",
  space: /[ \t\n\r\f\v\u00A0\u2000-\u200D\u202F\u205F\u2060\u3000\uFEFF]+/y,
  hasEscapeStrings: true,
  hasDollarStrings: true,
  nestsComments: true,
  driverParameter: /\?\d*|\$\w+/y,
  parameter: (index) => `$${index}`,
  slots: castingSlots({ typeNames, quote }),
  arrayOf: (type) => ({ open: "(ARRAY[", close: `]::${typeNames[type]}[])` }),
  emptyMembership: { in: "= ANY", notIn: "<> ALL", list: "[]" },
  // Without INTERVAL: DuckDB accepts INTERVAL ('3 days') and INTERVAL ('3') DAY.
  literalTypes: new Set(["date", "time", "timestamp", "timestamptz"]),
  bindsTypedLiterals: false,
};
