import type { BoundType, Dialect } from "@querybell/statements";
import { writeLiteral } from "./literal.ts";

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
