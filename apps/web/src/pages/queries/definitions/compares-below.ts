import { isSignificant, matchPlaceholders, type Token, tokenizeTyped } from "@querybell/statements/tokenizer";

/**
 * Whether the SQL compares with a placeholder by `<`: `ordered_at < {{until}}`, `CAST({{until}} AS date) > ordered_at`.
 * The end of a date range is then the day after its last.
 */
export function comparesBelow(sql: string, name: string): boolean {
  const tokens = tokenizeTyped(sql).filter(isSignificant);
  return tokens.some((token, at) => hasPlaceholder(token, name) && isBelow(tokens, { first: at, last: at }));
}

const kindsWithPlaceholders = ["placeholder", "string", "escapeString"];

const hasPlaceholder = ({ kind, text }: Token, name: string): boolean =>
  kindsWithPlaceholders.includes(kind) && [...matchPlaceholders(text)].some(([, found]) => found === name);

/** A part of an expression: the positions of its first and its last token. */
interface Operand {
  first: number;
  last: number;
}

const comparisons = ["<", "<=", ">", ">=", "=", "<>", "!=", "=="];

/** Words between which an expression stands. */
const boundaries = new Set(
  `AND OR NOT WHERE ON HAVING QUALIFY WHEN THEN ELSE CASE END SELECT DISTINCT FROM JOIN GROUP ORDER LIMIT OFFSET FETCH
  UNION EXCEPT INTERSECT VALUES WINDOW BETWEEN LIKE ILIKE IN IS`.split(/\s+/),
);

/** Whether the operand is what something else is below of. An operand in parentheses is compared as a whole. */
function isBelow(tokens: readonly Token[], { first, last }: Operand): boolean {
  const before = scan(tokens, first, -1);
  const after = scan(tokens, last, 1);
  if (before.comparison !== undefined || after.comparison !== undefined) {
    return before.comparison === "<" || after.comparison === ">";
  }
  // A parenthesis that is not closed yet ends with the text.
  if (before.stop !== "(" || (after.stop !== ")" && after.stop !== undefined)) return false;
  return isBelow(tokens, { first: before.at, last: after.at });
}

interface Scanned {
  /** The operator that is found first. */
  comparison?: string;
  /** What ends the expression: a word, or the parenthesis around it. Undefined: the text. */
  stop?: string;
  at: number;
}

/** Looks for a comparison on one side of an operand. Casts, arithmetic and other parentheses belong to the operand. */
function scan(tokens: readonly Token[], from: number, step: 1 | -1): Scanned {
  const [inner, outer] = step === 1 ? ["(", ")"] : [")", "("];
  let depth = 0;
  let isOtherArgument = false;
  let at = from + step;
  for (let token = tokens[at]; token; at += step, token = tokens[at]) {
    const { kind, text } = token;
    if (text === inner) depth++;
    else if (text === outer && depth > 0) depth--;
    else if (text === outer) return { stop: text, at };
    else if (depth > 0) continue;
    else if (kind === "word" && boundaries.has(text.toUpperCase())) return { stop: text, at };
    else if (text === ",") isOtherArgument = true;
    else if (kind === "operator" && comparisons.includes(text) && !isOtherArgument)
      return { comparison: text, at };
  }
  return { at };
}
