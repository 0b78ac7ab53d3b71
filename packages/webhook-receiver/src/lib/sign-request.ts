import { signerWith } from "./hmac.web.ts";
import { parseSecrets } from "./secrets.ts";

/** Signed headers and the body, in the form that `fetch` and `new Request` take: `{ method: "POST", ...signed }`. */
export interface SignedRequest {
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

export interface SignOptions {
  /** A `whsec_` secret, such as `createSecret()` makes. */
  secret: string;
  /** What to send: an event, which is serialized, or the body itself as text or bytes. */
  payload: object | string | Uint8Array;
  /** Default: the event's own id, or a random one. */
  id?: string;
  /** Unix seconds. Default: now. */
  timestamp?: number;
}

/** Signs a payload as the sender does. */
export async function signRequest(options: SignOptions): Promise<SignedRequest> {
  const { secret, payload, timestamp = Math.floor(Date.now() / 1000) } = options;
  const id = options.id ?? idOf(payload) ?? crypto.randomUUID();
  const body = bodyOf(payload);
  const [sign] = parseSecrets(secret).map(({ bytes }) => signerWith(bytes));
  const signature = await sign?.(`${id}.${timestamp}.`, body);
  return {
    headers: {
      "content-type": "application/json",
      "svc-webhook-id": id,
      "svc-webhook-timestamp": String(timestamp),
      "svc-webhook-signature": `v1=${signature}`,
    },
    body,
  };
}

/** A new random secret, in the form of a real one. */
export function createSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

function bodyOf(payload: SignOptions["payload"]): Uint8Array<ArrayBuffer> {
  if (payload instanceof Uint8Array) return new Uint8Array(payload);
  return new TextEncoder().encode(typeof payload === "string" ? payload : JSON.stringify(payload));
}

function idOf(payload: SignOptions["payload"]): string | undefined {
  return typeof payload === "object" && "id" in payload && typeof payload.id === "string"
    ? payload.id
    : undefined;
}
