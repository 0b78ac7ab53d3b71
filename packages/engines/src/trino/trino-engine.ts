import { TrinoCredentials, TrinoSettings } from "@querybell/domain/engines/trino";
import type { BoundType, Dialect, Slot } from "@querybell/statements";
import { isWrittenUnquoted } from "@querybell/statements/dialect";
import { z } from "zod";
import type { Engine } from "../engine.ts";

/** The only place where a value becomes SQL for Trino: a typed literal, for `USING` and for `renderedSql`. */
function writeLiteral({ value, typed }: Pick<Slot, "value" | "typed">): string {
  const { type, text } = value;
  if (typed) return `${typed.word} ${quote(text)}${typed.unit && ` ${typed.unit}`}`;
  if (isWrittenUnquoted(value)) return text;
  switch (type) {
    case "text":
      return quote(text);
    case "int4":
      return `INTEGER ${quote(text)}`;
    case "int8":
      return `BIGINT ${quote(text)}`;
    case "number":
      return `DOUBLE ${quote(text)}`;
    case "boolean":
      return text;
    case "date":
      return `DATE ${quote(text)}`;
    case "timestamp":
      // Values are stored as 2024-01-31T10:00:00Z.
      return `TIMESTAMP ${quote(text.replace("T", " ").replace("Z", " UTC"))}`;
  }
}

/** The quote is the only special character inside Trino's strings. */
export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const literalPattern = /^(?:\d+|true|false|(?:[A-Z]+ )?'(?:[^']|'')*'(?: [A-Z]+(?: TO [A-Z]+)?)?)$/;

/** `EXECUTE IMMEDIATE` takes any expression, so the session checks that each value is exactly one literal. */
export const isLiteral = (sql: string): boolean => literalPattern.test(sql);

const typeNames: Record<BoundType, string> = {
  text: "varchar",
  int4: "integer",
  int8: "bigint",
  number: "double",
  boolean: "boolean",
  date: "date",
  timestamp: "timestamp(6) with time zone",
};

/**
 * A bare parameter is not cast, because `LIMIT` takes a parameter but no expression, and its literal has a type
 * already.
 */
const place = (sql: string, { bare, type }: { bare: boolean; type: BoundType }) =>
  bare ? sql : `(CAST(${sql} AS ${typeNames[type]}))`;

export const trinoDialect: Dialect = {
  name: "Trino",
  space: /[ \t\n\r]+/y,
  hasEscapeStrings: false,
  hasDollarStrings: false,
  nestsComments: false,
  driverParameter: /\?/y,
  parameter: () => "?",
  slots: {
    toDriver: writeLiteral,
    bind: ({ value: { type }, bare, typed }, parameter) =>
      typed ? `(${parameter})` : place(parameter, { bare, type }),
    render: (slot) =>
      slot.typed
        ? `(${writeLiteral(slot)})`
        : place(writeLiteral(slot), { bare: slot.bare, type: slot.value.type }),
  },
  arrayOf: (type) => ({ open: "CAST(ARRAY[", close: `] AS array(${typeNames[type]}))` }),
  emptyMembership: { in: "IN", notIn: "NOT IN", list: "SELECT NULL WHERE false" },
  literalTypes: new Set(
    "date time timestamp interval json uuid ipaddress decimal double real bigint integer smallint tinyint varchar char".split(
      " ",
    ),
  ),
  bindsTypedLiterals: true,
};

const TrinoConfiguration = z.strictObject({ ...TrinoSettings.shape, credentials: TrinoCredentials });
export type TrinoConfiguration = z.infer<typeof TrinoConfiguration>;

export const trinoEngine: Engine<"trino", TrinoConfiguration> = {
  database: z.strictObject({ engine: z.literal("trino"), configuration: TrinoConfiguration }),
  configure: ({ settings, credentials }) => ({ ...settings, credentials }),
  credentialsName: "credentials",
  server: ({ host, port }) => ({ host, port }),
  files: () => [],
  dialect: trinoDialect,
  // Trino ends such a query only after minutes.
  hasSnapshots: false,
  queriesOutliveClients: true,
  loadDriver: async () => (await import("./connect-trino.ts")).trinoDriver,
};
