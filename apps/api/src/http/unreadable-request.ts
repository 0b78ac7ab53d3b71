import type { Socket } from "node:net";
import { AppError, errorCodes } from "@querybell/domain";
import { toProblem } from "./problem.ts";

const tooLarge = () =>
  new AppError(
    "payload_too_large",
    "The address and headers have more than the 16 KiB that a request may have there. Send less at once.",
  );

const unreadable = () => new AppError("invalid_request", "This is not a request that HTTP allows.");

/**
 * Answers a request that Node cannot read, in the shape of all other errors. No route sees it, and Fastify has a shape
 * of its own.
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
