import type { BoundValue, Dialect } from "./dialect.ts";

/**
 * The place of one value. A `bare` one stands alone between tokens that cannot join it; any other gets
 * parentheses and a cast, so that `E{{p}}` never becomes an escape string nor `ORDER BY {{n}}` a column's
 * number, and the types are the same bound and rendered.
 */
export interface Slot {
  value: BoundValue;
  bare: boolean;
}

export function bindSlot({ value, bare }: Slot, parameter: string, dialect: Dialect): string {
  if (bare && takesTypeOfNeighbour(value)) return parameter;
  const typed = `${parameter}::${dialect.typeNames[value.type]}`;
  return bare ? typed : `(${typed})`;
}

export function renderSlot({ value, bare }: Slot, dialect: Dialect): string {
  const unquoted = isWrittenUnquoted(value);
  if (bare && takesTypeOfNeighbour(value)) return dialect.quote(value.text);
  if (bare && unquoted) return value.text;
  const typed = `${unquoted ? value.text : dialect.quote(value.text)}::${dialect.typeNames[value.type]}`;
  return bare ? typed : `(${typed})`;
}

// A bare literal has no type of its own and takes that of what it is compared with: text that of an enum
// or a uuid. A time so compared means the same in every session's time zone, with and without a zone.
const takesTypeOfNeighbour = ({ type }: BoundValue) => type === "text" || type === "timestamp";

// A minus sign binds looser than a cast and can join an operator before it: negative numbers are quoted.
const isWrittenUnquoted = ({ type, text }: BoundValue) =>
  type === "boolean" || ((type === "int4" || type === "int8") && !text.startsWith("-"));
