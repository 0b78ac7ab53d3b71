import { type AppError, errorCodes } from "@querybell/domain";
import type { FastifyReply } from "fastify";

/** Sends an error as `application/problem+json` (RFC 9457). */
export function sendProblem(reply: FastifyReply, appError: AppError): FastifyReply {
  if (appError.code === "unauthorized") reply.header("www-authenticate", "Bearer");
  if (appError.retryAfterSeconds !== undefined)
    reply.header("retry-after", String(appError.retryAfterSeconds));
  const problem = toProblem(appError);
  return reply.code(problem.status).type("application/problem+json").send(JSON.stringify(problem));
}

/** The body of such an error. */
export function toProblem(appError: AppError) {
  const { status, title } = errorCodes[appError.code];
  return {
    type: "about:blank",
    title,
    status,
    detail: appError.message,
    code: appError.code,
    // The published shape has no position; the message contains it.
    ...(appError.errors && { errors: appError.errors.map(({ path, message }) => ({ path, message })) }),
  };
}
