import { type AppError, errorCodes } from "@querybell/domain";
import type { FastifyReply } from "fastify";

/** Answers with a refusal as `application/problem+json` (RFC 9457). */
export function sendProblem(reply: FastifyReply, refusal: AppError): FastifyReply {
  const { status, title } = errorCodes[refusal.code];
  if (refusal.code === "unauthorized") reply.header("www-authenticate", "Bearer");
  if (refusal.retryAfterSeconds !== undefined) reply.header("retry-after", String(refusal.retryAfterSeconds));
  const problem = {
    type: "about:blank",
    title,
    status,
    detail: refusal.message,
    code: refusal.code,
    // The published shape: where in a text it is stands in the message.
    ...(refusal.errors && { errors: refusal.errors.map(({ path, message }) => ({ path, message })) }),
  };
  return reply.code(status).type("application/problem+json").send(JSON.stringify(problem));
}
