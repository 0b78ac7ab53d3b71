/** The types that a bound value can have; each dialect has its own name for them. */
export type BoundType = "text" | "int4" | "int8" | "number" | "boolean" | "date" | "timestamp";

/** One value on its way into a statement. It travels as text and is cast in the statement. */
export interface BoundValue {
  type: BoundType;
  text: string;
}

/** What placeholders need to know about an engine's SQL. */
export interface Dialect {
  name: string;
  /** White space between tokens; any other character beyond ASCII belongs to a name. */
  space: RegExp;
  /** A parameter written in the driver's own form: it would take the place of one of ours. */
  driverParameter: RegExp;
  /** How the statement names its n-th value, from 1. `type` is for engines that want it there. */
  parameter(index: number, type: BoundType): string;
  typeNames: Record<BoundType, string>;
  /** A string literal that reads back as `text` whatever the session's settings. */
  quote(text: string): string;
  /** An empty list that can stand after `= ANY` for an operand of any type. */
  emptyList: string;
  /** Words that may stand before a string literal to give its type (`DATE '2024-01-31'`). */
  literalTypes: ReadonlySet<string>;
}
