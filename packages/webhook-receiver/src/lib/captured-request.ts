import type { HeaderLookup, WebhookHeaders } from "./headers.ts";
import { WebhookError } from "./webhook-error.ts";

/** A request whose body was read already. Bytes are hashed as they are, a string as UTF-8. */
export interface CapturedRequest {
  readonly headers: WebhookHeaders;
  readonly body: Uint8Array | ArrayBuffer | string;
}

/** The part of a Fetch `Request` that is used, so that neither the types of the DOM nor Node's are needed. */
export interface FetchRequest {
  readonly headers: HeaderLookup;
  readonly body: ByteStream | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface ByteStream {
  readonly locked?: boolean;
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
}

/** What can be verified: a Fetch `Request`, or headers and the raw body from anywhere. */
export type WebhookRequest = CapturedRequest | FetchRequest;

/** The part of a `TextEncoder` that is used, for the same reason. */
export const encoder: { encode(text: string): Uint8Array<ArrayBuffer> } = new TextEncoder();

export function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return encoder.encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw body === undefined
    ? bodyNotRaw(
        "There is no body: pass { headers, body }, or let the webhook of …/node read Node's request.",
      )
    : bodyNotRaw();
}

export const bodyNotRaw = (hint?: string) =>
  new WebhookError("body_not_raw", "The raw body is gone: something has read or parsed it.", hint);

export const tooLarge = (maxBodyBytes: number) =>
  new WebhookError(
    "body_too_large",
    `The body is larger than maxBodyBytes, ${maxBodyBytes}.`,
    "Raise it if your events are that large.",
  );

export const bodyIncomplete = () =>
  new WebhookError("body_incomplete", "The connection broke off in the body.", "The sender will retry.");

export const isFetchRequest = (request: WebhookRequest): request is FetchRequest =>
  "arrayBuffer" in Object(request);

/** Reads the body, and stops once it is too large. */
export async function capture(request: FetchRequest, maxBodyBytes: number): Promise<CapturedRequest> {
  const { headers, body, bodyUsed } = request;
  if (bodyUsed || body?.locked) throw bodyNotRaw();
  const reader = body?.getReader();
  const read = async () => (await reader?.read())?.value;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let chunk = await read(); chunk; chunk = await read()) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBodyBytes) break;
    }
  } catch {
    throw bodyIncomplete();
  }
  reader?.cancel().catch(() => {});
  return { headers, body: concatenate(chunks, size) };
}

export function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
