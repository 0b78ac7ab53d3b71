import { isSignificant } from "../../placeholders/statement.ts";
import { tokenize } from "../../placeholders/tokenizer.ts";
import { duckdbDialect } from "../dialect.ts";

const optionWords = new Set(["(", ")", ",", "analyze", "format", "text", "json", "html", "graphviz", "yaml"]);

/** The statement that an EXPLAIN explains; undefined for any other statement. */
export function explainedStatement(text: string): string | undefined {
  if (!/explain/i.test(text)) return undefined;
  const [explain, ...rest] = tokenize(text, duckdbDialect).filter(isSignificant);
  if (explain?.text.toLowerCase() !== "explain") return undefined;
  const lower = rest.map((token) => token.text.toLowerCase());
  let first = 0;
  if (lower[0] === "(" && optionWords.has(lower[1] ?? "")) {
    while (lower[first] !== ")" && optionWords.has(lower[first] ?? "")) first++;
    first++;
  } else if (lower[0] === "analyze") {
    first++;
  }
  return text.slice(rest[first]?.start ?? text.length);
}
