import type { StatementToken } from "./statement.ts";
import { isSignificant } from "./tokenizer.ts";

/**
 * The position of a value.
 * - `operand`: the whole right-hand side of a comparison, so nothing around it can change its meaning.
 * - `listed`: one of the values of `IN (…)`, with the same guarantee.
 * - `expression`: anywhere else. The value is cast and gets parentheses.
 */
type Position = "operand" | "listed" | "expression";

export interface PlaceholderContext {
  position: Position;
  /** The index of the word just before, as in `DATE '…'`. */
  wordBefore: number | undefined;
  /** The next token in lower case. */
  next: string | undefined;
  /** Set if the value is the whole list of an IN: `IN (x)`, or `bare`: `IN x`. */
  membership: Membership | undefined;
}

export interface Membership {
  notIndex: number | undefined;
  inIndex: number;
  bare: boolean;
}

const wordSet = (words: string) => new Set(words.split(" "));
const beforeOperand = wordSet("= <> != < > <= >= like ilike between limit offset");
// Tokens that end an operand. If anything else follows (an operator, a cast, COLLATE), it is an expression.
const afterOperand = wordSet(
  ") , ; ] and or then else end when as from where join left right inner full cross natural group order " +
    "having limit offset union except intersect window qualify",
);

/** Finds the context of each token with placeholders; the keys are indices into `tokens`. */
export function findPlaceholderContexts(tokens: StatementToken[]): Map<number, PlaceholderContext> {
  const found = new Map<number, PlaceholderContext>();
  if (!tokens.some(({ placeholder, literal }) => placeholder || literal)) return found;
  const significant: { token: StatementToken; index: number; lower: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (isSignificant(token)) significant.push({ token, index, lower: token.text.toLowerCase() });
  }
  const lower = (at: number) => significant[at]?.lower;
  const scopes = [{ inList: false, awaitsAnd: false }];
  let andOfBetween = -1;

  for (const [at, { token, index, lower: text }] of significant.entries()) {
    const scope = scopes.at(-1) ?? { inList: false, awaitsAnd: false };
    const previous = lower(at - 1) ?? "";
    const next = lower(at + 1);
    if (token.placeholder || token.literal) {
      const compared = beforeOperand.has(previous) || (at > 0 && andOfBetween === at - 1);
      const ended = next === undefined || afterOperand.has(next);
      const apart = tokens[index - 1]?.kind !== "word" && tokens[index + 1]?.kind !== "word";
      const listed = scope.inList && /^[(,]$/.test(previous) && /^[),]$/.test(next ?? "");
      found.set(index, {
        position: listed ? "listed" : compared && ended && apart ? "operand" : "expression",
        wordBefore: significant[at - 1]?.token.kind === "word" ? significant[at - 1]?.index : undefined,
        next,
        membership: findMembership(at),
      });
    } else if (text === "(" || text === "[") {
      scopes.push({ inList: text === "(" && previous === "in", awaitsAnd: false });
    } else if (text === ")" || text === "]") {
      if (scopes.length > 1) scopes.pop();
    } else if (text === "between") {
      scope.awaitsAnd = true;
    } else if (text === "and" && scope.awaitsAnd) {
      scope.awaitsAnd = false;
      andOfBetween = at;
    }
  }
  return found;

  function findMembership(at: number): Membership | undefined {
    const bare = lower(at - 1) === "in";
    const wrapped = lower(at - 2) === "in" && lower(at - 1) === "(" && lower(at + 1) === ")";
    const inToken = significant[at - (bare ? 1 : 2)];
    if (!inToken || !(bare || wrapped)) return undefined;
    const notAt = at - (bare ? 2 : 3);
    const notIndex = lower(notAt) === "not" ? significant[notAt]?.index : undefined;
    return { notIndex, inIndex: inToken.index, bare };
  }
}
