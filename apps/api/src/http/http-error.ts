import { AppError, errorCodes } from "@querybell/domain";
import type { FastifyBaseLogger, FastifyError } from "fastify";
import { toAppErrorOrInternal } from "../trpc/error-shape.ts";
import { bodyTooLarge } from "./request-body.ts";

/** Converts Fastify's own errors (body too large, invalid JSON) to an AppError, and any other error as tRPC does. */
export function httpToAppError(error: unknown): AppError {
  const { statusCode, code } = error as Partial<FastifyError>;
  if (statusCode === 413) return bodyTooLarge();
  if (statusCode === 415) return new AppError("unsupported_media_type", "Send the body as application/json.");
  if (statusCode === 400 && code?.startsWith("FST_")) {
    return new AppError("invalid_request", "The body is not valid JSON.", { cause: error });
  }
  // The file server rejects some paths, such as one that contains a NUL.
  if (statusCode === 403 || statusCode === 404) {
    return new AppError("not_found", "There is nothing at this address.", { cause: error });
  }
  return toAppErrorOrInternal(error);
}

/** Logs server errors (5xx) with their cause. Client errors are only sent to the client. */
export function logServerError(log: FastifyBaseLogger, appError: AppError): void {
  if (errorCodes[appError.code].status >= 500) log.error(appError.cause ?? appError);
}
