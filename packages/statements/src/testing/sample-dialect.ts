import { type BoundType, castingSlots, type Dialect } from "../placeholders/dialect.ts";

const typeNames: Record<BoundType, string> = {
  text: "TEXT",
  int4: "INT",
  int8: "LONG",
  number: "NUMBER",
  boolean: "BOOL",
  date: "DAY",
  timestamp: "MOMENT",
};
const quote = (text: string) => `'${text.replaceAll("'", "''").replaceAll("\\", "\\\\")}'`;

/** A dialect with everything that one can have. Those of the engines are tested in `packages/engines`. */
export const sampleDialect: Dialect = {
  name: "sample",
  space: /\s+/y,
  hasEscapeStrings: true,
  hasDollarStrings: true,
  nestsComments: true,
  driverParameter: /\$\d+/y,
  parameter: (index) => `$${index}`,
  slots: castingSlots({ typeNames, quote }),
  arrayOf: (type) => ({ open: "LIST(", close: `) OF ${typeNames[type]}` }),
  emptyMembership: { in: "IN", notIn: "NOT IN", list: "NONE" },
  literalTypes: new Set(["day"]),
  bindsTypedLiterals: false,
};
