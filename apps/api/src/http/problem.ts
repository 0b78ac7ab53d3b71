import type { Socket } from "node:net";
import { AppError, errorCodes } from "@querybell/domain";
import type { FastifyBaseLogger, FastifyError, FastifyReply } from "fastify";
import { toAppErrorOrInternal } from "../trpc/error-shape.ts";
import { bodyTooLarge } from "./request-body.ts";

/** Sends an error as `application/problem+json` (RFC 9457). */
export function sendProblem(reply: FastifyReply, appError: AppError): FastifyReply {
  if (appError.code === "unauthorized" && !reply.hasHeader("www-authenticate")) {
    reply.header("www-authenticate", "Bearer");
  }
  if (appError.retryAfterSeconds !== undefined)
    reply.header("retry-after", String(appError.retryAfterSeconds));
  const problem = toProblem(appError);
  return reply.code(problem.status).type("application/problem+json").send(JSON.stringify(problem));
}

/** The body of such an error. */
function toProblem(appError: AppError) {
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

const tooLarge = () =>
  new AppError(
    "payload_too_large",
    "The address and headers have more than the 16 KiB that a request may have there. Send less at once.",
  );

const unreadable = () => new AppError("invalid_request", "This is not a request that HTTP allows.");

/**
 * Answers a request that Node cannot parse. It reaches no route, and Fastify's own answer would have another
 * shape than all other errors.
 */
export function answerUnreadable(
  error: Error & { code?: string; rawPacket?: unknown },
  socket: Socket,
): void {
  // The client is gone.
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const { code, rawPacket } = error;
  const isHead = Buffer.isBuffer(rawPacket) && rawPacket.toString("latin1", 0, 5) === "HEAD ";
  if (socket.writable) socket.write(answerTo(code, isHead));
  socket.destroy(error);
}

function answerTo(code: string | undefined, isHead: boolean): string {
  // The client was too slow to send its request, and reads no explanation.
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n";
  const appError = code === "HPE_HEADER_OVERFLOW" ? tooLarge() : unreadable();
  const { status, title } = errorCodes[appError.code];
  const body = Buffer.from(JSON.stringify(toProblem(appError)));
  return [
    `HTTP/1.1 ${status} ${title}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${body.length}`,
    "Connection: close",
    "",
    // The length is that of the answer to GET.
    isHead ? "" : body.toString(),
  ].join("\r\n");
}
