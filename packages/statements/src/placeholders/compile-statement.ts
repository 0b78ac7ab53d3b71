import { AppError } from "@querybell/domain";
import { z } from "zod";
import type { ParameterArgument } from "../parameters/resolve-values.ts";
import type { BoundValue, Slot } from "./dialect.ts";
import { findPlaceholderContexts, type Membership, type PlaceholderContext } from "./positions.ts";
import { refuseListInLiteral, type Statement, type StatementToken } from "./statement.ts";
import { StatementSize } from "./statement-limits.ts";
import { isSignificant, refuseAt, type Token } from "./tokenizer.ts";

export interface CompiledStatement {
  /** The statement for the driver, with a parameter in the place of each value. */
  text: string;
  /** The values of those parameters, as the driver takes them. */
  values: string[];
  /** The same statement with literals, for people to read and run themselves. */
  renderedSql: string;
  /** The positions in the query's SQL that the parts of `text` come from. */
  origins: Origin[];
}

/** One part of the statement: SQL text, or a value. */
type Part = string | Slot;

const intervalUnits = new Set(["year", "month", "day", "hour", "minute", "second"]);

/** Fills in a statement. Values are bound: none of them ever becomes part of `text`. */
export function compileStatement(
  statement: Statement,
  parameters: ReadonlyMap<string, ParameterArgument>,
): CompiledStatement {
  const { sql, dialect, tokens } = statement;
  const size = new StatementSize();
  // The parts that replace a token, by the index of the token.
  const replacements = new Map<number, Part[]>();

  for (const [index, around] of findPlaceholderContexts(tokens)) {
    const token = tokens[index];
    if (token?.literal) writeLiteral(index, token, around);
    else if (token?.placeholder) writePlaceholder(index, token.placeholder, around);
  }

  const values: string[] = [];
  const text: string[] = [];
  const rendered: string[] = [];
  const write = (part: Part) => {
    if (typeof part === "string") {
      text.push(part);
      rendered.push(part);
      size.addRendered(part.length);
      return;
    }
    text.push(dialect.slots.bind(part, dialect.parameter(values.push(dialect.slots.toDriver(part)))));
    const literal = dialect.slots.render(part);
    size.addRendered(literal.length);
    rendered.push(literal);
  };
  const origins = new OriginMap();
  for (const [index, token] of tokens.entries()) {
    const parts = replacements.get(index);
    const before = text.length;
    for (const part of parts ?? [token.text]) write(part);
    origins.add(token, text.slice(before).join("").length, parts !== undefined);
  }
  return { text: text.join(""), values, origins: origins.list, renderedSql: rendered.join("") };

  function argumentOf(name: string): ParameterArgument {
    const found = parameters.get(name);
    if (!found) throw new AppError("missing_parameter_values", `{{${name}}} has no value. Give it one.`);
    return found;
  }

  function writePlaceholder(index: number, name: string, around: PlaceholderContext): void {
    const found = argumentOf(name);
    size.addValues(found.kind === "scalar" ? [found.value] : found.values);
    if (found.kind === "scalar") {
      replacements.set(index, [{ value: found.value, bare: around.position !== "expression" }]);
    } else if (around.membership) {
      writeMembership(index, found.values, around.membership);
    } else if (around.position === "listed") {
      if (found.values.length === 0) {
        throw new AppError("invalid_parameter_value", `{{${name}}} needs at least one value here.`);
      }
      replacements.set(index, separated(found.values));
    } else {
      const { open, close } = dialect.arrayOf(found.elementType);
      replacements.set(index, [open, ...separated(found.values), close]);
    }
  }

  function writeMembership(index: number, list: readonly BoundValue[], membership: Membership): void {
    const empty = dialect.emptyMembership;
    const content = list.length > 0 ? separated(list) : [empty.list];
    replacements.set(index, membership.bare ? [" (", ...content, ")"] : content);
    if (list.length > 0) return;
    const { notIndex, inIndex } = membership;
    replacements.set(inIndex, [notIndex === undefined ? empty.in : empty.notIn]);
    if (notIndex !== undefined) replacements.set(notIndex, []);
  }

  /** The whole literal becomes one value: the text between the placeholders, and their values. */
  function writeLiteral(index: number, token: StatementToken, around: PlaceholderContext): void {
    const pieces = (token.literal ?? []).map((piece) => {
      if ("text" in piece) return piece;
      const found = argumentOf(piece.name);
      return found.kind === "scalar" ? found.value : refuseListInLiteral(sql, token, piece.name);
    });
    // Checked before they are joined, because there can be thousands of long pieces.
    size.addValues(pieces);
    const value: BoundValue = { type: "text", text: pieces.map((piece) => piece.text).join("") };
    const typeWord = tokens[around.wordBefore ?? -1]?.text ?? "";
    if (around.wordBefore === undefined || !dialect.literalTypes.has(typeWord.toLowerCase())) {
      replacements.set(index, [{ value, bare: around.position !== "expression" }]);
      return;
    }
    if (dialect.bindsTypedLiterals) {
      const units = unitsAfter(index, tokens);
      for (const emptied of [around.wordBefore, ...units]) replacements.set(emptied, []);
      const unit = units.map((at) => tokens[at]?.text.toUpperCase()).join(" ");
      replacements.set(index, [{ value, bare: true, typed: { word: typeWord.toUpperCase(), unit } }]);
      return;
    }
    if (typeWord.toLowerCase() === "interval" && intervalUnits.has(around.next ?? "")) {
      refuseAt(sql, token.start, "Write the unit inside the string, as in INTERVAL '{{n}} days'.");
    }
    // DATE '…' takes a literal and nothing else; a cast takes any expression.
    replacements.set(around.wordBefore, []);
    replacements.set(index, ["(", { value, bare: true }, `::${typeWord})`]);
  }
}

/** The tokens of `DAY` or `DAY TO SECOND` after an interval's string. */
function unitsAfter(index: number, tokens: readonly StatementToken[]): number[] {
  const found: number[] = [];
  for (let at = index + 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token || !isSignificant(token)) continue;
    const word = token.text.toLowerCase();
    const isExpected = found.length === 1 ? word === "to" : intervalUnits.has(word);
    if (!isExpected || found.length === 3) break;
    found.push(at);
  }
  // `TO` without a unit after it is not part of the interval.
  return found.length === 2 ? found.slice(0, 1) : found;
}

const separated = (values: readonly BoundValue[]): Part[] =>
  values.flatMap((value, index): Part[] => [...(index > 0 ? [", "] : []), { value, bare: true }]);

/**
 * Maps positions of the compiled statement to the query's SQL: from offset `text` on it is the SQL from offset `sql`
 * on. If `replaced`, all of it replaces the token at `sql`.
 */
export const Origin = z.object({ text: z.int(), sql: z.int(), replaced: z.boolean() });
export type Origin = z.infer<typeof Origin>;

/** Collects the origins of a statement, token by token. */
class OriginMap {
  readonly list: Origin[] = [];
  #length = 0;

  /** `length` is the length of the token in the compiled statement. */
  add({ start }: Pick<Token, "start">, length: number, replaced: boolean): void {
    if (replaced || (this.list.at(-1)?.replaced ?? true)) {
      this.list.push({ text: this.#length, sql: start, replaced });
    }
    this.#length += length;
  }
}

/** The offset in the query's text of an offset in the compiled statement. */
export function originOf(origins: readonly Origin[], offset: number): number {
  const from = origins.findLast(({ text }) => text <= offset);
  if (!from) return 0;
  return from.replaced ? from.sql : from.sql + offset - from.text;
}
