/** The types of bound values. Each dialect has its own names for them. */
export type BoundType = "text" | "int4" | "int8" | "number" | "boolean" | "date" | "timestamp";

/** A value to be bound. It is passed as text and cast in the statement. */
export interface BoundValue {
  type: BoundType;
  text: string;
}

/**
 * The position of one value in a statement. A `bare` value is between tokens that cannot merge with it. Any other gets
 * parentheses and a cast, so that `E{{p}}` never becomes an escape string nor `ORDER BY {{n}}` a column number, and
 * the types are the same bound and rendered.
 */
export interface Slot {
  value: BoundValue;
  bare: boolean;
  /** The words around a string literal that give it a type, where the dialect keeps them: `INTERVAL '3' DAY`. */
  typed?: { word: string; unit: string };
}

/** Writes values into statements of one engine. */
interface SlotWriter {
  /** The value as the driver takes it. */
  toDriver(slot: Slot): string;
  /** The SQL for a bound value; `parameter` is its name in the statement. */
  bind(slot: Slot, parameter: string): string;
  /** The SQL for a value as a literal. */
  render(slot: Slot): string;
}

/** The properties of an engine's SQL that placeholders depend on. */
export interface Dialect {
  name: string;
  /** White space between tokens. All other non-ASCII characters are parts of names. */
  space: RegExp;
  /** Whether it has `E'\\n'` and `$tag$…$tag$`, and whether comments can be nested. */
  hasEscapeStrings: boolean;
  hasDollarStrings: boolean;
  nestsComments: boolean;
  /** A parameter in the driver's own syntax, which would be confused with ours. */
  driverParameter: RegExp;
  /** The name of the n-th value in the statement, from 1. */
  parameter(index: number): string;
  slots: SlotWriter;
  /** The SQL before and after the items of an array of this type. */
  arrayOf(type: BoundType): { open: string; close: string };
  /** Replacements for `x IN ()`, which is not valid SQL, for an operand of any type. */
  emptyMembership: { in: string; notIn: string; list: string };
  /** Type names that can precede a string literal (`DATE '2024-01-31'`). */
  literalTypes: ReadonlySet<string>;
  /** Whether such a literal is bound as a whole. If not, the value is cast to the type. */
  bindsTypedLiterals: boolean;
}

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
