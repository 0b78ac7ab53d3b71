import { TRPCClientError } from "@trpc/client";
import type { contract } from "./contract.ts";

type ErrorData = (typeof contract)["errorShape"]["data"];

/** The codes this version of the client knows. A newer server may answer with others. */
export type KnownReason = ErrorData["reason"];

/** The error with which the server answered a call. */
export interface ApiError {
  /** A stable code for programs to compare. */
  reason: KnownReason | (string & Record<never, never>);
  /** The HTTP status of the response. */
  status: number;
  /** A sentence for people: what happened; what to do. */
  message: string;
  /** The errors in the input, field by field, with a position for errors in a text. Empty for other errors. */
  errors: { path: string; message: string; position?: { line: number; column: number } }[];
  /** How many seconds to wait before a retry, if the server named a time. */
  retryAfterSeconds?: number;
}

/**
 * Converts what a call throws to the server's error. Returns undefined if the server could not be reached or
 * if `error` is not from a call.
 */
export function toApiError(error: unknown): ApiError | undefined {
  if (!(error instanceof TRPCClientError)) return undefined;
  const data: unknown = error.data;
  if (!isRecord(data) || typeof data.reason !== "string" || typeof data.httpStatus !== "number") {
    return undefined;
  }
  const retryAfterSeconds = toRetryAfterSeconds(error.meta?.response);
  return {
    reason: data.reason,
    status: data.httpStatus,
    message: error.message,
    errors: Array.isArray(data.errors) ? data.errors.filter(isInputError) : [],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const isInputError = (value: unknown): value is ApiError["errors"][number] =>
  isRecord(value) && typeof value.path === "string" && typeof value.message === "string";

function toRetryAfterSeconds(response: unknown): number | undefined {
  if (!(response instanceof Response)) return undefined;
  const seconds = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  return Number.isNaN(seconds) ? undefined : seconds;
}
