import { type AppError, errorCodes } from "@querybell/domain";
import type { FastifyReply } from "fastify";

/** Sends an error as `application/problem+json` (RFC 9457). */
export function sendProblem(reply: FastifyReply, appError: AppError): FastifyReply {
  const { status, title } = errorCodes[appError.code];
  if (appError.code === "unauthorized") reply.header("www-authenticate", "Bearer");
  if (appError.retryAfterSeconds !== undefined)
    reply.header("retry-after", String(appError.retryAfterSeconds));
  const problem = {
    type: "about:blank",
    title,
    status,
    detail: appError.message,
    code: appError.code,
    // The published shape has no position; the message contains it.
    ...(appError.errors && { errors: appError.errors.map(({ path, message }) => ({ path, message })) }),
  };
  return reply.code(status).type("application/problem+json").send(JSON.stringify(problem));
}
