import { AppError } from "@querybell/domain";
import type { FastifyError } from "fastify";
import { refusalFor } from "../trpc/error-shape.ts";
import { bodyTooLarge } from "./body-limit.ts";

/** Fastify's own refusals (a body too large, JSON that is none) in our words; the rest as everywhere. */
export function httpRefusal(error: unknown): AppError {
  const { statusCode, code } = error as Partial<FastifyError>;
  if (statusCode === 413) return bodyTooLarge();
  if (statusCode === 415) return new AppError("unsupported_media_type", "Send the body as application/json.");
  if (statusCode === 400 && code?.startsWith("FST_")) {
    return new AppError("invalid_request", "The body is not valid JSON.", { cause: error });
  }
  // A path that the file server will not look at, like one with a NUL in it.
  if (statusCode === 403 || statusCode === 404) {
    return new AppError("not_found", "There is nothing at this address.", { cause: error });
  }
  return refusalFor(error);
}
