import { EngineError } from "../engine.ts";
import type { QueryError } from "./protocol.ts";

/** The statement of the author, and the number of characters that were sent before it on its first line. */
export interface SentStatement {
  text: string;
  prefixLength: number;
}

const memoryErrors = new Set([
  "EXCEEDED_GLOBAL_MEMORY_LIMIT",
  "EXCEEDED_LOCAL_MEMORY_LIMIT",
  "CLUSTER_OUT_OF_MEMORY",
]);
const missingCatalogErrors = new Set(["CATALOG_NOT_FOUND", "MISSING_CATALOG_NAME"]);

export function toQueryError(error: QueryError, sent?: SentStatement): EngineError {
  const { errorName } = error;
  // The position is returned separately, relative to the statement of the author.
  const message = error.message.replace(/^line \d+:\d+: /, "");
  if (errorName === "EXCEEDED_TIME_LIMIT") {
    return new EngineError(
      "query_timeout",
      "The query took longer than it may. Make it read less, or raise the limit.",
    );
  }
  const code = memoryErrors.has(errorName) ? "out_of_memory" : "query_failed";
  return new EngineError(code, message, { offset: sent && offsetIn(sent, error.errorLocation) });
}

/** Trino counts lines and characters from 1. */
function offsetIn(
  { text, prefixLength }: SentStatement,
  location: QueryError["errorLocation"],
): number | undefined {
  if (!location) return undefined;
  const { lineNumber, columnNumber } = location;
  const lines = text.split("\n");
  const line = lines[lineNumber - 1];
  const characters = columnNumber - 1 - (lineNumber === 1 ? prefixLength : 0);
  if (line === undefined || characters < 0) return undefined;
  const before = lines.slice(0, lineNumber - 1).join("\n").length + (lineNumber > 1 ? 1 : 0);
  return before + [...line].slice(0, characters).join("").length;
}

/** For errors before the statement was sent. */
export function toConnectionError(error: unknown, host: string): EngineError {
  if (error instanceof EngineError && error.code !== "query_failed") return error;
  return new EngineError(
    "database_unreachable",
    `The Trino at ${host} cannot be reached: ${messageOf(error)}. Check its host, port, catalog and TLS settings.`,
  );
}

/** For responses that are not part of the protocol. */
export function toHttpError(status: number, text: string, host: string): EngineError {
  const detail = text.length < 300 && !text.includes("<") && text.trim() !== "" ? `: ${text.trim()}` : "";
  if (status === 401 || status === 403) {
    return new EngineError(
      "database_credentials_refused",
      `The Trino at ${host} refused the user, the password or the token (${status}${detail}). Correct the configuration.`,
    );
  }
  return new EngineError(
    "database_unreachable",
    `The server at ${host} does not answer like Trino (${status}${detail}). Check its host, port and TLS settings.`,
  );
}

export const isMissingCatalog = ({ errorName }: QueryError): boolean => missingCatalogErrors.has(errorName);

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error);
