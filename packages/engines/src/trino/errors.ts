import { EngineError } from "../engine.ts";
import type { QueryError } from "./protocol.ts";
import { offsetIn, type SentStatement } from "./sent-statement.ts";

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
  const { errorLocation } = error;
  const offset = sent && errorLocation ? offsetIn(sent, errorLocation) : undefined;
  return new EngineError(code, message, { offset });
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
