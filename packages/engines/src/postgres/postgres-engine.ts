import { PostgresCredentials, PostgresSettings } from "@querybell/domain/engines/postgres";
import type { BoundType, Dialect } from "@querybell/statements";
import { castingSlots } from "@querybell/statements/dialect";
import { z } from "zod";
import type { Engine } from "../engine.ts";

// A number is numeric, as the literal 9.99 is: numeric is cast to float8 implicitly, and round(numeric, int) exists
// while round(float8, int) does not.
const typeNames: Record<BoundType, string> = {
  text: "text",
  int4: "int4",
  int8: "int8",
  number: "numeric",
  boolean: "boolean",
  date: "date",
  timestamp: "timestamptz",
};

// With a backslash, only the E form means the same whether standard_conforming_strings is on or off.
const quote = (text: string) => {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
};

export const postgresDialect: Dialect = {
  name: "Postgres",
  space: /[ \t\n\r\f\v]+/y,
  hasEscapeStrings: true,
  hasDollarStrings: true,
  nestsComments: true,
  driverParameter: /\$\d+/y,
  parameter: (index) => `$${index}`,
  slots: castingSlots({ typeNames, quote }),
  arrayOf: (type) => ({ open: "(ARRAY[", close: `]::${typeNames[type]}[])` }),
  emptyMembership: { in: "= ANY", notIn: "<> ALL", list: "'{}'" },
  literalTypes: new Set(["date", "time", "timetz", "timestamp", "timestamptz", "interval"]),
  bindsTypedLiterals: false,
};

const PostgresConfiguration = PostgresSettings.extend(PostgresCredentials.shape).extend({
  /** The role as which statements run, instead of the user. */
  role: z.string().min(1).max(63).optional(),
});
export type PostgresConfiguration = z.infer<typeof PostgresConfiguration>;

export const postgresEngine: Engine<"postgres", PostgresConfiguration> = {
  database: z.strictObject({ engine: z.literal("postgres"), configuration: PostgresConfiguration }),
  configure: ({ settings, credentials }) => ({ ...settings, ...credentials }),
  credentialsName: "password",
  server: ({ host, port }) => ({ host, port }),
  files: () => [],
  dialect: postgresDialect,
  hasSnapshots: true,
  queriesOutliveClients: false,
  loadDriver: async () => (await import("./connect-postgres.ts")).postgresDriver,
};
