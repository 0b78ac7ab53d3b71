import type { BoundType, BoundValue, SlotWriter } from "./dialect.ts";

interface CastingDialect {
  typeNames: Record<BoundType, string>;
  /** A string literal that means `text` with any settings of the session. */
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

// A bare literal takes the type of the other operand: text can be compared with an enum or a uuid. A time means the
// same in every time zone of the session, whether the other operand has a zone or not.
const takesTypeOfNeighbour = ({ type }: BoundValue) => type === "text" || type === "timestamp";

// Negative numbers are quoted, because a minus sign binds looser than a cast and can merge with an operator before it.
export const isWrittenUnquoted = ({ type, text }: BoundValue) =>
  type === "boolean" || ((type === "int4" || type === "int8") && !text.startsWith("-"));
