import { isSignificant, type Token, tokenize } from "@querybell/statements/tokenizer";
import { duckdbDialect } from "../dialect.ts";

const optionWords = new Set(["(", ")", ",", "analyze", "format", "text", "json", "html", "graphviz", "yaml"]);

export interface ExplainStatement {
  /** EXPLAIN and its options in known words, as long as what it replaces, so that positions stay the same. */
  prefix: string;
  /** The statement that is explained. */
  explained: string;
}

/** Splits an EXPLAIN; undefined for any other statement. */
export function splitExplain(text: string): ExplainStatement | undefined {
  if (!/explain/i.test(text)) return undefined;
  const tokens = tokenize(text, duckdbDialect);
  const [explain, ...rest] = tokens.filter(isSignificant);
  if (explain?.text.toLowerCase() !== "explain") return undefined;
  const options = rest.slice(0, countOptionWords(rest.map((token) => token.text.toLowerCase())));
  const start = rest[options.length]?.start ?? text.length;
  // Not a part of the text: where DuckDB would read it differently, it gets only these words.
  const known = new Set<Token>([explain, ...options]);
  const prefix = tokens
    .filter((token) => token.start < start)
    .map((token) => (known.has(token) ? token.text : " ".repeat(token.text.length)))
    .join("");
  return { prefix, explained: text.slice(start) };
}

function countOptionWords(words: string[]): number {
  if (words[0] === "analyze") return 1;
  if (words[0] !== "(" || !optionWords.has(words[1] ?? "")) return 0;
  const end = words.indexOf(")");
  return words.slice(0, end).every((word) => optionWords.has(word)) ? end + 1 : 0;
}
