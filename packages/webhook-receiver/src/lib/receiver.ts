import {
  bytesOf,
  type CapturedRequest,
  capture,
  isFetchRequest,
  tooLarge,
  type WebhookRequest,
} from "./captured-request.ts";
import { aBoolean, aFunction, aNumberFrom0, anObjectWith, anything, checkOptions } from "./check-options.ts";
import { type Acceptance, accept, type DedupeStore, defaultEndpoint } from "./dedupe.ts";
import { type Delivery, deliveryOf } from "./delivery.ts";
import type { Refusal } from "./diagnose.ts";
import type { WebhookHeaders } from "./headers.ts";
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
  /**
   * The endpoint's name in the dedupe store. An event goes to each endpoint under the same id, so receivers of
   * different endpoints that share a store need different names. It stays when a secret changes.
   * Default: `default`.
   */
  endpoint?: string;
  /** Larger bodies are refused, before they are read to their end. Default: 1 MiB. */
  maxBodyBytes?: number;
  /** Whether to look for the cause of a mismatch, which takes a few milliseconds. Default: true. */
  diagnosis?: boolean;
}

export interface Receiver {
  readonly maxBodyBytes: number;
  /** Returns the delivery if it is genuine, and rejects with a `WebhookError` if not. */
  verify(request: WebhookRequest): Promise<Delivery>;
  /** Verifies, and claims the event in the dedupe store. */
  accept(request: WebhookRequest): Promise<Acceptance>;
}

interface Settings extends Required<Omit<ReceiverOptions, "secrets" | "dedupe">> {
  secrets: ParsedSecret[];
  dedupe: DedupeStore | undefined;
}

const optionRules = {
  secrets: anything,
  toleranceSeconds: aNumberFrom0,
  clock: aFunction,
  dedupe: anObjectWith("claim", "commit", "release"),
  endpoint: anything,
  maxBodyBytes: aNumberFrom0,
  diagnosis: aBoolean,
};

export function settingsOf(options: ReceiverOptions): Settings {
  checkOptions("createReceiver", options, optionRules);
  const { toleranceSeconds = 300, clock = Date.now, maxBodyBytes = 1 << 20, dedupe } = options;
  const { endpoint = defaultEndpoint, diagnosis = true } = options;
  // No colon: the key in the store is this name, a colon, and the event's id.
  if (typeof endpoint !== "string" || !/^[\w.-]{1,64}$/.test(endpoint)) {
    throw new RangeError("endpoint must be 1 to 64 letters, digits, dots, - or _.");
  }
  const secrets = parseSecrets(options.secrets);
  if (dedupe && options.endpoint === undefined) warnIfShared(dedupe, secrets);
  return { secrets, toleranceSeconds, clock, dedupe, endpoint, maxBodyBytes, diagnosis };
}

/** A well-formed request whose timestamp and signature are not checked yet. */
export interface Candidate extends SignedHeaders {
  headers: WebhookHeaders;
  body: Uint8Array;
  /** When it was received, in milliseconds since the epoch. */
  now: number;
}

export function candidateOf({ clock, maxBodyBytes }: Settings, request: CapturedRequest): Candidate {
  // Listed one by one, which is faster than spreading them.
  const { headers } = request;
  const { id, timestamp, timestampHeader, prefix, signatures } = parseSignedHeaders(headers);
  const body = bytesOf(request.body);
  if (body.length > maxBodyBytes) throw tooLarge(maxBodyBytes);
  return { id, timestamp, timestampHeader, prefix, signatures, headers, body, now: clock() };
}

/** The hash functions of one runtime. */
interface Engine {
  /** The unexpired secret that signed the request. */
  signerOf(candidate: Candidate): ParsedSecret | undefined | Promise<ParsedSecret | undefined>;
  /** Whether one of the signatures matches this body and key. */
  matches(signed: SignedHeaders, key: Uint8Array<ArrayBuffer>, body: Uint8Array): boolean | Promise<boolean>;
}

export function receiverOf(settings: Settings, engine: Engine): Receiver {
  const { secrets, maxBodyBytes, toleranceSeconds, dedupe, endpoint, diagnosis } = settings;

  async function explained(error: unknown, candidate: Candidate): Promise<unknown> {
    const { diagnose } = await import("./diagnose.ts");
    const matches: Refusal["matches"] = (key, body) => engine.matches(candidate, key, body);
    return diagnose({ error, WebhookError, candidate, secrets, matches });
  }

  async function verify(request: WebhookRequest): Promise<Delivery> {
    const captured = isFetchRequest(request) ? await capture(request, maxBodyBytes) : request;
    const candidate = candidateOf(settings, captured);
    try {
      checkTimestamp(candidate, toleranceSeconds);
      const signer = engine.signerOf(candidate);
      return deliveryOf(candidate, signer instanceof Promise ? await signer : signer);
    } catch (error) {
      // If the diagnosis cannot be loaded, the original error is thrown.
      throw diagnosis ? await explained(error, candidate).catch(() => error) : error;
    }
  }

  return {
    maxBodyBytes,
    verify,
    async accept(request) {
      const delivery = await verify(request);
      return accept(delivery, dedupe, `${endpoint}:${delivery.id}`);
    },
  };
}

const secretsOfUnnamed = new WeakMap<object, Set<string>>();

/**
 * Warns if two receivers without an `endpoint` share a store. Receivers with a common secret belong to one
 * endpoint that is mounted twice, so they are not reported.
 */
function warnIfShared(store: DedupeStore, secrets: readonly ParsedSecret[]): void {
  const rows = store.rows ?? store;
  const known = secretsOfUnnamed.get(rows) ?? new Set<string>();
  const given = secrets.map(({ bytes }) => bytes.join());
  const isOther = known.size > 0 && !given.some((secret) => known.has(secret));
  for (const secret of given) known.add(secret);
  secretsOfUnnamed.set(rows, known);
  if (!isOther) return;
  console.warn(
    "Two webhook receivers without a name share one dedupe store. An event goes to each endpoint under the same id, " +
      "so one of them takes the other's events for duplicates and never handles them. Name each: " +
      'createReceiver({ endpoint: "billing", … }).',
  );
}
