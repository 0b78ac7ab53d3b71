import { TRPCClientError } from "@trpc/client";
import type { contract } from "./contract.ts";

type ErrorData = (typeof contract)["errorShape"]["data"];

/** The codes this version of the client knows. A newer server may answer with others. */
export type KnownReason = ErrorData["reason"];

/** Why the server refused a call. */
export interface Refusal {
  /** A stable code, to decide by. */
  reason: KnownReason | (string & Record<never, never>);
  /** The HTTP status that goes with it. */
  status: number;
  /** A sentence for people: what is wrong, and what to do. */
  message: string;
  /** What is wrong with the input, field by field, and where in a text; empty when the input is not the matter. */
  errors: { path: string; message: string; position?: { line: number; column: number } }[];
  /** After how many seconds it makes sense to try again, when the server said so. */
  retryAfterSeconds?: number;
}

/**
 * The server's reason for a failed call; undefined if it gave none, because it could not be reached or
 * because `error` is something else.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof TRPCClientError)) return undefined;
  const data: unknown = error.data;
  if (!isRecord(data) || typeof data.reason !== "string" || typeof data.httpStatus !== "number") {
    return undefined;
  }
  const retryAfterSeconds = retryAfterOf(error.meta?.response);
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

const isInputError = (value: unknown): value is Refusal["errors"][number] =>
  isRecord(value) && typeof value.path === "string" && typeof value.message === "string";

function retryAfterOf(response: unknown): number | undefined {
  if (!(response instanceof Response)) return undefined;
  const seconds = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  return Number.isNaN(seconds) ? undefined : seconds;
}
