import { isSignificant, tokenize } from "@querybell/statements/tokenizer";
import pg from "pg";
import { EngineError } from "../engine.ts";
import { postgresDialect } from "./postgres-engine.ts";

const refusedCredentials = new Set(["28P01", "28000"]);
// The server is shutting down, has crashed or is starting, or the connection was lost.
const lostConnection = /^(?:57P0[1-5]|08...)$/;

export function toConnectionError(error: unknown, host: string): EngineError {
  if (error instanceof EngineError) return error;
  if (error instanceof pg.DatabaseError && refusedCredentials.has(error.code ?? "")) {
    return new EngineError(
      "database_credentials_refused",
      `The database at ${host} refused the user or the password (${error.message}). Correct the configuration.`,
    );
  }
  return new EngineError(
    "database_unreachable",
    `The database at ${host} cannot be reached: ${messageOf(error)}. Check its host, port, name and TLS settings.`,
  );
}

const readingWords = new Set(["select", "with", "values", "table"]);

interface Declared {
  /** The statement, which may not be a query. */
  text: string;
  /** The text that was sent before it. */
  prefix: string;
}

/** `declared` is the statement that was sent last. */
export function toQueryError(error: unknown, declared?: Declared): EngineError {
  if (error instanceof EngineError) return error;
  if (!(error instanceof pg.DatabaseError)) {
    return new EngineError(
      "database_unreachable",
      `The connection was lost during the run: ${messageOf(error)}.`,
    );
  }
  if (error.code === "42601" && declared && !readsOnly(declared.text)) {
    return new EngineError("query_failed", "A query can only read: write a SELECT (or WITH, VALUES, TABLE).");
  }
  const message = [error.message, error.detail, error.hint && `Hint: ${error.hint}`]
    .filter(Boolean)
    .join(". ");
  if (lostConnection.test(error.code ?? "")) return new EngineError("database_unreachable", message);
  if (error.code === "57014" && /statement timeout/.test(error.message)) {
    return new EngineError(
      "query_timeout",
      "The query took longer than it may. Make it read less, or raise the limit.",
    );
  }
  const code = error.code === "53200" ? "out_of_memory" : "query_failed";
  return new EngineError(code, message, { offset: declared && offsetIn(declared, error.position) });
}

/** Postgres counts characters from 1, in the whole text that was sent. */
function offsetIn({ text, prefix }: Declared, position: string | undefined): number | undefined {
  const characters = Number(position) - 1 - prefix.length;
  if (!(characters >= 0)) return undefined;
  return [...text].slice(0, characters).join("").length;
}

/** Whether the first word, after comments, white space and parentheses, is one of a query. */
function readsOnly(text: string): boolean {
  const first = tokenize(text, postgresDialect).find((token) => isSignificant(token) && token.text !== "(");
  return readingWords.has(first?.text.toLowerCase() ?? "");
}

// An attempt on several addresses fails with an AggregateError, whose own message is empty.
const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(", ");
  return error instanceof Error ? error.message : String(error);
};
