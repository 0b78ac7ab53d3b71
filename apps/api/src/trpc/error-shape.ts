import { asRefusal } from "@querybell/core";
import { AppError, type ErrorCode, errorCodes } from "@querybell/domain";
import { TRPCError } from "@trpc/server";
import { ZodError } from "zod";

const internalError = (cause: unknown): AppError =>
  new AppError("internal", "Something went wrong on our side. Try again shortly.", { cause });

/** Any error as the refusal that a caller may see. What is not one of ours becomes `internal`, without detail. */
export function refusalFor(error: unknown): AppError {
  if (error instanceof TRPCError) return refusalForTrpc(error);
  return asRefusal(error) ?? internalError(error);
}

function refusalForTrpc(error: TRPCError): AppError {
  if (error.cause instanceof ZodError && error.code === "BAD_REQUEST") return invalidInput(error.cause);
  // The cause knows more than tRPC's own code, which several of ours share.
  const refusal = asRefusal(error.cause);
  if (refusal) return refusal;
  const code = codeOfTransport[error.code];
  return code ? new AppError(code, error.message, { cause: error }) : internalError(error);
}

// The errors that tRPC itself makes before any procedure runs.
const codeOfTransport: Partial<Record<TRPCError["code"], ErrorCode>> = {
  PARSE_ERROR: "invalid_request",
  BAD_REQUEST: "invalid_request",
  NOT_FOUND: "not_found",
  METHOD_NOT_SUPPORTED: "method_not_allowed",
  UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
  PAYLOAD_TOO_LARGE: "payload_too_large",
};

// An answer is not much larger than what it answers.
const maxListedErrors = 20;
const maxMessageLength = 500;

/** What a schema found wrong with an input, as the refusal that names each place. */
export function invalidInput(cause: ZodError): AppError {
  const errors = cause.issues
    .slice(0, maxListedErrors)
    .map(({ path, message }) => ({ path: path.join("."), message: message.slice(0, maxMessageLength) }));
  const [first] = errors;
  const detail = first ? `${first.path || "The input"}: ${first.message}` : errorCodes.invalid_request.title;
  return new AppError(codeFor(errors), detail, { errors, cause });
}

/** Whatever is wrong with a cursor, and with nothing else, has a code of its own. */
export const codeFor = (errors: { path: string }[]): ErrorCode =>
  errors.length > 0 && errors.every(({ path }) => path === "cursor") ? "invalid_cursor" : "invalid_request";

/** The same error in tRPC's own terms, for its client and for the HTTP status that it answers with. */
export function asTrpcError(error: unknown): TRPCError {
  const refusal = refusalFor(error);
  return new TRPCError({ code: errorCodes[refusal.code].trpc, message: refusal.message, cause: refusal });
}

/** What an error looks like to a tRPC client: our code in `reason`, and what is wrong with the input. */
export function errorData(refusal: AppError) {
  const { status, trpc } = errorCodes[refusal.code];
  return {
    code: trpc,
    httpStatus: status,
    reason: refusal.code,
    ...(refusal.errors && { errors: refusal.errors }),
  };
}
