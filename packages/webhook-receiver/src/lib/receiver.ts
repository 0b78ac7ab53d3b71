import {
  bytesOf,
  type CapturedRequest,
  capture,
  isFetchRequest,
  tooLarge,
  type WebhookRequest,
} from "./captured-request.ts";
import { type Acceptance, accept, type DedupeStore } from "./dedupe.ts";
import { type Delivery, VerifiedDelivery } from "./delivery.ts";
import type { Refusal } from "./diagnose.ts";
import { type ParsedSecret, parseSecrets, type Secrets } from "./secrets.ts";
import { checkTimestamp, parseSignedHeaders, type SignedHeaders } from "./signed-headers.ts";
import { WebhookError } from "./webhook-error.ts";

export interface ReceiverOptions {
  /** The endpoint's signing secret, or several while rotating: any of them is accepted. */
  secrets: Secrets;
  /** How far the timestamp may be from now, in either direction. Default: 300. */
  toleranceSeconds?: number;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  clock?: () => number;
  /** Where handled events are remembered. Default: nowhere, so that every delivery is handled. */
  dedupe?: DedupeStore;
  /** Larger bodies are refused, before they are read to their end. Default: 1 MiB. */
  maxBodyBytes?: number;
}

export interface Receiver {
  readonly maxBodyBytes: number;
  /** Answers the delivery if it is genuine, and rejects with a `WebhookError` if not. */
  verify(request: WebhookRequest): Promise<Delivery>;
  /** Verifies, and claims the event in the dedupe store. */
  accept(request: WebhookRequest): Promise<Acceptance>;
}

export interface Settings extends Required<Omit<ReceiverOptions, "secrets" | "dedupe">> {
  secrets: ParsedSecret[];
  dedupe: DedupeStore | undefined;
}

export function settingsOf(options: ReceiverOptions): Settings {
  const { toleranceSeconds = 300, clock = Date.now, maxBodyBytes = 1 << 20, dedupe } = options;
  if (!(toleranceSeconds >= 0 && maxBodyBytes >= 0)) {
    throw new RangeError("toleranceSeconds and maxBodyBytes must be 0 or more.");
  }
  return { secrets: parseSecrets(options.secrets), toleranceSeconds, clock, dedupe, maxBodyBytes };
}

/** A request that is right in everything but its signature, which is still to be checked. */
export interface Candidate extends SignedHeaders {
  body: Uint8Array;
  now: number;
}

export function candidateOf(settings: Settings, request: CapturedRequest): Candidate {
  const { id, timestamp, prefix, signatures } = parseSignedHeaders(request.headers);
  const body = bytesOf(request.body);
  if (body.length > settings.maxBodyBytes) throw tooLarge(settings.maxBodyBytes);
  const now = settings.clock();
  checkTimestamp(timestamp, now, settings.toleranceSeconds);
  return { id, timestamp, prefix, signatures, body, now };
}

/** The end of every verification: the secret that matched, if one did. */
export function deliveryOf(candidate: Candidate, secret: ParsedSecret | undefined): Delivery {
  if (secret) return new VerifiedDelivery(candidate, secret.label);
  throw new WebhookError("signature_mismatch", "The signature does not match.");
}

/** One runtime's way of verifying. */
export interface Engine {
  verify(request: CapturedRequest): Delivery | Promise<Delivery>;
  /** Whether one of the signatures is of this body, with this key. */
  matches(signed: SignedHeaders, key: Uint8Array<ArrayBuffer>, body: Uint8Array): boolean | Promise<boolean>;
}

// Anybody can send a bad signature, so looking for its cause must stay cheap.
const diagnosable = /^(signature_mismatch|timestamp_)/;
const largestDiagnosed = 64 * 1024;

export function receiverOf(settings: Settings, engine: Engine): Receiver {
  const { secrets, maxBodyBytes, dedupe } = settings;

  async function explained(error: unknown, request: CapturedRequest): Promise<unknown> {
    if (!(error instanceof WebhookError && diagnosable.test(error.code))) return error;
    const { code, message } = error;
    const body = bytesOf(request.body);
    if (body.length > largestDiagnosed) return error;
    const signed = parseSignedHeaders(request.headers);
    const { diagnose } = await import("./diagnose.ts");
    const matches: Refusal["matches"] = (key, candidate) => engine.matches(signed, key, candidate);
    return new WebhookError(code, message, await diagnose({ code, signed, body, secrets, matches }));
  }

  async function verify(request: WebhookRequest): Promise<Delivery> {
    const captured = isFetchRequest(request) ? await capture(request, maxBodyBytes) : request;
    try {
      const delivery = engine.verify(captured);
      return delivery instanceof Promise ? await delivery : delivery;
    } catch (error) {
      // A diagnosis that cannot be loaded must not hide what it was to explain.
      throw await explained(error, captured).catch(() => error);
    }
  }

  return { maxBodyBytes, verify, accept: async (request) => accept(await verify(request), dedupe) };
}
