import { EngineError } from "../engine.ts";
import type { QueryError } from "./protocol.ts";
import type { HttpResponse } from "./server-http.ts";

/** The statement as its author wrote it, and how many characters were sent before it on its first line. */
export interface SentStatement {
  text: string;
  prefixLength: number;
}

const memoryErrors = new Set([
  "EXCEEDED_GLOBAL_MEMORY_LIMIT",
  "EXCEEDED_LOCAL_MEMORY_LIMIT",
  "CLUSTER_OUT_OF_MEMORY",
]);
const missingPlaces = new Set(["CATALOG_NOT_FOUND", "MISSING_CATALOG_NAME"]);

export function toQueryError(error: QueryError, sent?: SentStatement): EngineError {
  const { errorName } = error;
  // The position is told apart, and counted in what we sent.
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

/** What went wrong when the user's statement was not yet there: nobody's query failed. */
export function toConnectionError(error: unknown, host: string): EngineError {
  if (error instanceof EngineError && error.code !== "query_failed") return error;
  return new EngineError(
    "database_unreachable",
    `The Trino at ${host} cannot be reached: ${messageOf(error)}. Check its host, port, catalog and TLS settings.`,
  );
}

/** An answer that is none of the protocol's. */
export function toHttpError({ status, text }: HttpResponse, host: string): EngineError {
  const said = text.length < 300 && !text.includes("<") && text.trim() !== "" ? `: ${text.trim()}` : "";
  if (status === 401 || status === 403) {
    return new EngineError(
      "database_credentials_refused",
      `The Trino at ${host} refused the user, the password or the token (${status}${said}). Correct the configuration.`,
    );
  }
  return new EngineError(
    "database_unreachable",
    `What answers at ${host} does not answer as Trino does (${status}${said}). Check its host, port and TLS settings.`,
  );
}

export const isMissingPlace = ({ errorName }: QueryError): boolean => missingPlaces.has(errorName);

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error);
