import type { Token } from "@querybell/statements/tokenizer";
import { EngineError } from "../../engine.ts";

/**
 * Table functions that only return rows. Functions of connectors can send SQL to another system, which may write
 * there (`query`, `procedure`), or write files (`unload`).
 */
const allowedTableFunctions = new Set([
  "sequence",
  "exclude_columns",
  "system.builtin.sequence",
  "system.builtin.exclude_columns",
]);
const subqueryWords = new Set(["select", "with", "values", "table"]);

/** Refuses table functions that are not allowed, and the catalog `system`. */
export function checkNames(tokens: readonly Token[]): void {
  for (const [at, token] of tokens.entries()) {
    if (isWord(token, "table") && tokens[at + 1]?.text === "(") checkTableFunction(tokens, at + 2);
    if (nameOf(token) === "system" && tokens[at + 1]?.text === "." && tokens[at - 1]?.text !== ".") {
      checkSystemName(tokens, at);
    }
  }
}

/** `TABLE(f(…))` calls a function; `TABLE(t)` and `TABLE(SELECT …)` are arguments of one. */
function checkTableFunction(tokens: readonly Token[], start: number): void {
  const parts: string[] = [];
  let at = start;
  for (let part = nameOf(tokens[at]); part !== undefined; part = nameOf(tokens[at])) {
    parts.push(part);
    at++;
    if (tokens[at]?.text !== ".") break;
    at++;
  }
  if (tokens[at]?.text !== "(" || parts.length === 0) return;
  if (parts.length === 1 && tokens[start]?.kind === "word" && subqueryWords.has(parts[0] ?? "")) return;
  const name = parts.join(".");
  if (allowedTableFunctions.has(name)) return;
  throw new EngineError(
    "query_failed",
    `The table function ${name} cannot be used: it could do more than read tables. Query the tables themselves.`,
  );
}

/** The catalog `system` shows the queries of all users. Built-in functions are in its schema `builtin`. */
function checkSystemName(tokens: readonly Token[], at: number): void {
  if (nameOf(tokens[at + 2]) === "builtin" && tokens[at + 3]?.text === ".") return;
  throw new EngineError(
    "query_failed",
    "The catalog system cannot be used: it shows what others run on this cluster. If it is a name of your own, choose another one for it.",
  );
}

const isWord = ({ kind, text }: Token, word: string): boolean =>
  kind === "word" && text.toLowerCase() === word;

/** A name in lower case: Trino ignores the case of catalogs, schemas and functions, even of quoted ones. */
function nameOf(token: Token | undefined): string | undefined {
  if (token?.kind === "word") return token.text.toLowerCase();
  if (token?.kind === "quotedIdentifier") return token.text.slice(1, -1).replaceAll('""', '"').toLowerCase();
  return undefined;
}
