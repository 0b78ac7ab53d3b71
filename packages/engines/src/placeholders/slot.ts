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
  // A bare string has no type of its own, just as a literal has none, and takes that of its neighbour.
  if (bare && value.type === "text") return parameter;
  const typed = `${parameter}::${dialect.typeNames[value.type]}`;
  return bare ? typed : `(${typed})`;
}

export function renderSlot({ value, bare }: Slot, dialect: Dialect): string {
  const unquoted = isWrittenUnquoted(value);
  if (bare && value.type === "text") return dialect.quote(value.text);
  if (bare && unquoted) return value.text;
  const typed = `${unquoted ? value.text : dialect.quote(value.text)}::${dialect.typeNames[value.type]}`;
  return bare ? typed : `(${typed})`;
}

// A minus sign binds looser than a cast and can join an operator before it: negative numbers are quoted.
const isWrittenUnquoted = ({ type, text }: BoundValue) =>
  type === "boolean" || ((type === "int4" || type === "int8") && !text.startsWith("-"));
