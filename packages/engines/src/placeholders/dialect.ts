/** The types that a bound value can have; each dialect has its own name for them. */
export type BoundType = "text" | "int4" | "int8" | "number" | "boolean" | "date" | "timestamp";

/** One value on its way into a statement. It travels as text and is cast in the statement. */
export interface BoundValue {
  type: BoundType;
  text: string;
}

/**
 * The place of one value. A `bare` one stands alone between tokens that cannot join it; any other gets
 * parentheses and a cast, so that `E{{p}}` never becomes an escape string nor `ORDER BY {{n}}` a column's
 * number, and the types are the same bound and rendered.
 */
export interface Slot {
  value: BoundValue;
  bare: boolean;
  /** The words around a string literal that give it a type, where the dialect keeps them: `INTERVAL '3' DAY`. */
  typed?: { word: string; unit: string };
}

/** How an engine takes values. */
export interface SlotWriter {
  /** What the driver is given for a value. */
  toDriver(slot: Slot): string;
  /** The SQL in the place of a value, where `parameter` names it. */
  bind(slot: Slot, parameter: string): string;
  /** The SQL in the place of a value with the value in it. */
  render(slot: Slot): string;
}

/** What placeholders need to know about an engine's SQL. */
export interface Dialect {
  name: string;
  /** White space between tokens; any other character beyond ASCII belongs to a name. */
  space: RegExp;
  /** Whether it has `E'\\n'` and `$tag$…$tag$`, and whether a comment can hold another one. */
  hasEscapeStrings: boolean;
  hasDollarStrings: boolean;
  nestsComments: boolean;
  /** A parameter written in the driver's own form: it would take the place of one of ours. */
  driverParameter: RegExp;
  /** How the statement names its n-th value, from 1. */
  parameter(index: number): string;
  slots: SlotWriter;
  /** What stands around the items of a list that is an array of this type. */
  arrayOf(type: BoundType): { open: string; close: string };
  /** `x IN ()` is no SQL: what says the same for an operand of any type, in three parts. */
  emptyMembership: { in: string; notIn: string; list: string };
  /** Words that may stand before a string literal to give its type (`DATE '2024-01-31'`). */
  literalTypes: ReadonlySet<string>;
  /** Whether such a literal is bound whole. Otherwise the value is cast to the type. */
  bindsTypedLiterals: boolean;
}
