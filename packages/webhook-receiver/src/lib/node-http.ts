import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { type Answer, answer, type Endpoint } from "./answer.ts";
import {
  bodyIncomplete,
  bodyNotRaw,
  type CapturedRequest,
  concatenate,
  tooLarge,
} from "./captured-request.ts";
import type { WebhookHeaders } from "./headers.ts";

/** Some hosts and parsers leave the raw bytes on the request: as `rawBody`, or as a `body` that is bytes. */
type NodeRequest = IncomingMessage & { rawBody?: unknown; body?: unknown };

export async function captureNode(request: NodeRequest, maxBodyBytes: number): Promise<CapturedRequest> {
  const { rawBody, body } = request;
  const headers = rawHeadersOf(request);
  if (rawBody instanceof Uint8Array || typeof rawBody === "string") return { headers, body: rawBody };
  if (body instanceof Uint8Array) return { headers, body };
  // A parser sets `body` even if it had nothing to read.
  if (request.readableDidRead || request.readableEnded || body !== undefined)
    throw bodyNotRaw("Mount the webhook before parsers such as express.json(), or wrap them in keepRawBody.");
  return { headers, body: await readAll(request, maxBodyBytes) };
}

/** The headers before Node joins repeated ones. Hosts that imitate Node may not have them. */
export const rawHeadersOf = ({ rawHeaders, headers }: WithHeaders): WebhookHeaders =>
  rawHeaders?.length ? rawHeaders : headers;

export interface WithHeaders {
  readonly rawHeaders?: readonly string[];
  readonly headers: WebhookHeaders;
}

export function readAll(stream: Readable, maxBodyBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    stream.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxBodyBytes) {
        chunks.push(chunk);
      } else {
        // Paused, not destroyed: the sender must get the response, which then closes the connection.
        stream.pause();
        reject(tooLarge(maxBodyBytes));
      }
    });
    stream.once("end", () => resolve(concatenate(chunks, size)));
    const giveUp = () => reject(bodyIncomplete());
    stream.once("error", giveUp);
    stream.once("close", giveUp);
    if (stream.destroyed) giveUp();
  });
}

/** The part of a response that tells when it has ended. */
export interface Closing {
  readonly destroyed?: boolean;
  once(event: "close", listener: () => void): unknown;
}

/**
 * Answers a request, and starts the work after the response once the response is sent or the connection is
 * closed. Listens for that from the beginning: the sender may disconnect while the event is being claimed.
 */
export async function answerUntilClosed(
  response: Closing,
  endpoint: Endpoint,
  request: () => Promise<CapturedRequest>,
): Promise<Answer> {
  const closed = new Promise<void>((resolve) => {
    if (response.destroyed) resolve();
    else response.once("close", resolve);
  });
  const { afterwards, ...answered } = await answer(endpoint, request);
  if (afterwards) closed.then(afterwards);
  return answered;
}

export function sendAnswer(response: ServerResponse, { status, body }: Answer): void {
  // Somebody else may have answered meanwhile, such as a timeout.
  if (response.headersSent) return;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(status === 413 && { connection: "close" }),
  });
  response.end(body);
}
