import { AppError } from "@querybell/domain/app-error";
import { isSignificant, type Token, tokenize } from "@querybell/statements/tokenizer";
import { EngineError } from "../engine.ts";
import { trinoDialect } from "./trino-engine.ts";

interface ValidatedStatement {
  /** Without the semicolon at its end, which Trino's server does not take. */
  statement: string;
  /** Whether Trino takes values for it: it takes none for SHOW, DESCRIBE and EXPLAIN. */
  takesValues: boolean;
}

const queryWords = new Set(["select", "with", "values", "table"]);
/** What may follow SHOW. Other forms, now or in later versions, could show settings that contain passwords. */
const shownWords = new Set(["tables", "schemas", "catalogs", "columns", "functions", "stats"]);
const shownDefinitions = new Set(["table", "view", "materialized", "schema"]);

/**
 * Allows statements that can only read, by their first words, and refuses all others before they are sent. In Trino
 * only whole statements write. A query cannot contain one, except through table functions, which are checked by name.
 */
export function validateStatement(text: string): ValidatedStatement {
  const significant = readTokens(text).filter(isSignificant);
  const end = significant.findLastIndex((token) => token.text !== ";") + 1;
  const tokens = significant.slice(0, end);
  if (tokens.some((token) => token.text === ";")) refuse("A query is one statement. Keep one.");
  const takesValues = validateKind(tokens);
  checkNames(tokens);
  const first = significant[end];
  return { statement: first ? text.slice(0, first.start) : text, takesValues };
}

function readTokens(text: string): Token[] {
  try {
    return tokenize(text, trinoDialect);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new EngineError("query_failed", error.message);
  }
}

/** Whether the statement takes values; throws if it does more than read. */
function validateKind(tokens: readonly Token[]): boolean {
  const word = (at: number) => tokens[at]?.text.toLowerCase();
  const first = word(tokens.findIndex((token) => token.text !== "(")) ?? "";
  if (queryWords.has(first)) {
    refuseSession(word);
    return true;
  }
  switch (word(0)) {
    case "explain":
      validateKind(tokens.slice(startOfExplained(tokens)));
      return false;
    case "describe":
    case "desc":
      // DESCRIBE INPUT and OUTPUT are about prepared statements, of which there are none.
      return false;
    case "show":
      if (shownWords.has(word(1) ?? "")) return false;
      if (word(1) === "create" && shownDefinitions.has(word(2) ?? "")) return false;
      break;
  }
  return refuse("A query can only read: write a SELECT (or WITH, VALUES, TABLE, SHOW, DESCRIBE, EXPLAIN).");
}

/** `WITH SESSION a = 'b' SELECT …` changes settings of the session; `WITH session AS (…)` is an ordinary name. */
function refuseSession(word: (at: number) => string | undefined): void {
  if (word(0) !== "with" || word(1) !== "session" || word(2) === "as" || word(2) === "(") return;
  refuse("A query cannot change settings of the session: leave WITH SESSION out.");
}

/** After `EXPLAIN`, `EXPLAIN (TYPE …)` or `EXPLAIN ANALYZE VERBOSE`. */
function startOfExplained(tokens: readonly Token[]): number {
  const word = (at: number) => tokens[at]?.text.toLowerCase();
  if (word(1) === "analyze") return word(2) === "verbose" ? 3 : 2;
  const hasOptions = word(1) === "(" && ["type", "format"].includes(word(2) ?? "");
  return hasOptions ? tokens.findIndex((token) => token.text === ")") + 1 : 1;
}

function refuse(sentence: string): never {
  throw new EngineError("query_failed", sentence);
}

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

/** Refuses table functions that are not allowed, and the catalog `system`. */
function checkNames(tokens: readonly Token[]): void {
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
  if (parts.length === 1 && tokens[start]?.kind === "word" && queryWords.has(parts[0] ?? "")) return;
  const name = parts.join(".");
  if (allowedTableFunctions.has(name)) return;
  refuse(
    `The table function ${name} cannot be used: it could do more than read tables. Query the tables themselves.`,
  );
}

/** The catalog `system` shows the queries of all users. Built-in functions are in its schema `builtin`. */
function checkSystemName(tokens: readonly Token[], at: number): void {
  if (nameOf(tokens[at + 2]) === "builtin" && tokens[at + 3]?.text === ".") return;
  refuse(
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
