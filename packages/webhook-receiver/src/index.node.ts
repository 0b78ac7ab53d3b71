import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { CapturedRequest } from "./lib/captured-request.ts";
import { type Delivery, deliveryOf } from "./lib/delivery.ts";
import {
  type Candidate,
  candidateOf,
  type Receiver,
  type ReceiverOptions,
  receiverOf,
  settingsOf,
} from "./lib/receiver.ts";
import { checkTimestamp, type SignedHeaders } from "./lib/signed-headers.ts";

export * from "./lib/surface.ts";

/** The receiver of the Node build, which can also verify without a promise. */
export interface NodeReceiver extends Receiver {
  /** Like `verify`, for a request whose body was read already. Its errors have only the general hint. */
  verifySync(request: CapturedRequest): Delivery;
}

/** Makes a receiver that verifies with Node's own crypto. Throws `malformed_secret`. */
export function createReceiver(options: ReceiverOptions): NodeReceiver {
  const settings = settingsOf(options);
  // Made once: importing a key for every call costs more than hashing a small body.
  const secrets = settings.secrets.map((secret) => ({ ...secret, key: createSecretKey(secret.bytes) }));

  const signerOf = (candidate: Candidate) =>
    secrets.find(
      ({ key, expiresAt }) => expiresAt > candidate.now && matches(candidate, key, candidate.body),
    );

  return {
    ...receiverOf(settings, {
      signerOf,
      matches: (signed, bytes, body) => matches(signed, createSecretKey(bytes), body),
    }),
    verifySync(request) {
      const candidate = candidateOf(settings, request);
      checkTimestamp(candidate, settings.toleranceSeconds);
      return deliveryOf(candidate, signerOf(candidate));
    },
  };
}

// Signatures are compared as text, which saves parsing and decoding them. All receivers share these buffers:
// writing and comparing are synchronous, so nothing else runs in between.
const scheme = "v1=";
const given = Buffer.alloc(scheme.length + 64);
const expected = Buffer.alloc(given.length, scheme);

function matches({ prefix, signatures }: SignedHeaders, key: KeyObject, body: Uint8Array): boolean {
  const digest = createHmac("sha256", key).update(prefix).update(body).digest("hex");
  expected.write(digest, scheme.length, "latin1");
  return signatures.some((signature) => {
    given.write(signature, "latin1");
    return timingSafeEqual(given, expected);
  });
}
