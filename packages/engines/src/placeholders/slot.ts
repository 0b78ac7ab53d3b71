import type { BoundType, BoundValue, SlotWriter } from "./dialect.ts";

interface CastingDialect {
  typeNames: Record<BoundType, string>;
  /** A string literal that reads back as `text` whatever the session's settings. */
  quote(text: string): string;
}

/** For engines that take every value as text, which the statement casts with `::`. */
export function castingSlots({ typeNames, quote }: CastingDialect): SlotWriter {
  const cast = (expression: string, { type }: BoundValue, bare: boolean) =>
    bare ? `${expression}::${typeNames[type]}` : `(${expression}::${typeNames[type]})`;
  return {
    toDriver: ({ value }) => value.text,
    bind({ value, bare }, parameter) {
      return bare && takesTypeOfNeighbour(value) ? parameter : cast(parameter, value, bare);
    },
    render({ value, bare }) {
      const isUnquoted = isWrittenUnquoted(value);
      const literal = isUnquoted ? value.text : quote(value.text);
      return bare && (isUnquoted || takesTypeOfNeighbour(value)) ? literal : cast(literal, value, bare);
    },
  };
}

// A bare literal has no type of its own and takes that of what it is compared with: text that of an enum
// or a uuid. A time so compared means the same in every session's time zone, with and without a zone.
const takesTypeOfNeighbour = ({ type }: BoundValue) => type === "text" || type === "timestamp";

// A minus sign binds looser than a cast and can join an operator before it: negative numbers are quoted.
export const isWrittenUnquoted = ({ type, text }: BoundValue) =>
  type === "boolean" || ((type === "int4" || type === "int8") && !text.startsWith("-"));
