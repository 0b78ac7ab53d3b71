import { AppError } from "@querybell/domain/app-error";
import { isSignificant, type Token, tokenize } from "@querybell/statements/tokenizer";
import { EngineError } from "../../engine.ts";
import { trinoDialect } from "../dialect.ts";
import { checkNames } from "./check-names.ts";

export interface ValidatedStatement {
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
