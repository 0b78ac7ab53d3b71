import { toAppError } from "@querybell/core";
import { AppError, type ErrorCode, errorCodes } from "@querybell/domain";
import { TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import { invalidInput } from "./input-checks.ts";

const internalError = (cause: unknown): AppError =>
  new AppError("internal", "Something went wrong on our side. Try again shortly.", { cause });

/** Converts any error to the AppError that a caller may see. An unexpected one becomes `internal`, without detail. */
export function toAppErrorOrInternal(error: unknown): AppError {
  if (error instanceof TRPCError) return trpcToAppError(error);
  return toAppError(error) ?? internalError(error);
}

function trpcToAppError(error: TRPCError): AppError {
  if (error.cause instanceof ZodError && error.code === "BAD_REQUEST") return invalidInput(error.cause);
  // The cause is more exact: several of our codes share one tRPC code.
  const known = toAppError(error.cause);
  if (known) return known;
  // tRPC passes on the message of the parser.
  if (error.code === "PARSE_ERROR" || error.cause instanceof SyntaxError) {
    return new AppError("invalid_request", "The input is not valid JSON.", { cause: error });
  }
  const code = codeOfTransport[error.code];
  return code ? new AppError(code, error.message, { cause: error }) : internalError(error);
}

// Errors that tRPC throws before any procedure runs.
const codeOfTransport: Partial<Record<TRPCError["code"], ErrorCode>> = {
  BAD_REQUEST: "invalid_request",
  NOT_FOUND: "not_found",
  METHOD_NOT_SUPPORTED: "method_not_allowed",
  UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
  PAYLOAD_TOO_LARGE: "payload_too_large",
};

/** Converts any error to a TRPCError, with the tRPC code that gives the right HTTP status. */
export function toTrpcError(error: unknown): TRPCError {
  const appError = toAppErrorOrInternal(error);
  return new TRPCError({ code: errorCodes[appError.code].trpc, message: appError.message, cause: appError });
}

/** The error data that a tRPC client gets: our code in `reason`, and the invalid fields of the input. */
export function errorData(appError: AppError) {
  const { status, trpc } = errorCodes[appError.code];
  return {
    code: trpc,
    httpStatus: status,
    reason: appError.code,
    ...(appError.errors && { errors: appError.errors }),
  };
}
