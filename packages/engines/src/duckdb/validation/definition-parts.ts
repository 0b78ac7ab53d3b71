import { isSignificant, type Token, tokenize } from "@querybell/statements/tokenizer";
import { duckdbDialect } from "../dialect.ts";

/** The query of `CREATE VIEW name (columns) AS query`: what follows the first AS outside of parentheses. */
export function queryOfView(sql: string): string {
  let depth = 0;
  for (const token of significantTokens(sql)) {
    if (token.text === "(") depth++;
    else if (token.text === ")") depth--;
    else if (depth === 0 && isWord(token, "as")) return sql.slice(token.start + token.text.length);
  }
  return sql;
}

/** The expressions of `CREATE INDEX name ON table (expressions)`, as one expression in parentheses. */
export function expressionsOfIndex(sql: string): string[] {
  const tokens = significantTokens(sql);
  const opening = tokens.findIndex((token) => token.text === "(");
  return opening === -1 ? [] : [parenthesized(sql, tokens, opening)];
}

/** The expressions of a table's generated columns. A default is evaluated when writing only. */
export function generatedExpressions(sql: string): string[] {
  const tokens = significantTokens(sql);
  return tokens.flatMap((token, at) =>
    token.text === "(" && isWord(tokens[at - 1], "as") && isWord(tokens[at - 2], "always")
      ? [parenthesized(sql, tokens, at)]
      : [],
  );
}

const significantTokens = (sql: string): Token[] => tokenize(sql, duckdbDialect).filter(isSignificant);

const isWord = (token: Token | undefined, word: string): boolean =>
  token?.kind === "word" && token.text.toLowerCase() === word;

function parenthesized(sql: string, tokens: Token[], opening: number): string {
  let depth = 0;
  for (const token of tokens.slice(opening)) {
    if (token.text === "(") depth++;
    else if (token.text === ")") depth--;
    if (depth === 0) return sql.slice(tokens[opening]?.start, token.start + 1);
  }
  return sql;
}
