import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "./answer.ts";
import { brokenOff, type CapturedRequest, concatenate, notRaw, tooLarge } from "./captured-request.ts";

/** Some hosts and parsers leave the raw bytes on the request: as `rawBody`, or as a `body` that is bytes. */
type NodeRequest = IncomingMessage & { rawBody?: unknown; body?: unknown };

export async function captureNode(request: NodeRequest, maxBodyBytes: number): Promise<CapturedRequest> {
  const { headers, rawBody, body } = request;
  if (rawBody instanceof Uint8Array) return { headers, body: rawBody };
  if (body instanceof Uint8Array) return { headers, body };
  if (request.readableDidRead) throw notRaw();
  return { headers, body: await readAll(request, maxBodyBytes) };
}

function readAll(request: IncomingMessage, maxBodyBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    request.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxBodyBytes) {
        chunks.push(chunk);
      } else {
        // Paused, not destroyed: the sender is to hear why, and the answer closes the connection.
        request.pause();
        reject(tooLarge(maxBodyBytes));
      }
    });
    request.once("end", () => resolve(concatenate(chunks, size)));
    const giveUp = () => reject(brokenOff());
    request.once("error", giveUp);
    request.once("close", giveUp);
    if (request.destroyed) giveUp();
  });
}

export function sendAnswer(response: ServerResponse, { status, body, afterwards }: Answer): void {
  // Closed is when the answer is out, or the connection gone: the claimed delivery is handled in both cases.
  if (response.destroyed) afterwards?.();
  else if (afterwards) response.once("close", afterwards);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(status === 413 && { connection: "close" }),
  });
  response.end(body);
}
