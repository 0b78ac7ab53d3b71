import { equal, type Signer, signerWith } from "./lib/hmac.web.ts";
import { type Receiver, type ReceiverOptions, receiverOf, settingsOf } from "./lib/receiver.ts";
import type { ParsedSecret } from "./lib/secrets.ts";
import type { SignedHeaders } from "./lib/signed-headers.ts";

export * from "./lib/surface.ts";

/** Makes a receiver that verifies with Web Crypto. Throws `malformed_secret`. */
export function createReceiver(options: ReceiverOptions): Receiver {
  const settings = settingsOf(options);
  // Imported when first used: some edge runtimes forbid asynchronous work outside a request.
  let secrets: (ParsedSecret & { sign: Signer })[] | undefined;

  return receiverOf(settings, {
    async signerOf(candidate) {
      secrets ??= settings.secrets.map((secret) => ({ ...secret, sign: signerWith(secret.bytes) }));
      for (const secret of secrets) {
        if (secret.expiresAt > candidate.now && (await matches(candidate, secret.sign, candidate.body)))
          return secret;
      }
      return undefined;
    },
    matches: (signed, bytes, body) => matches(signed, signerWith(bytes), body),
  });
}

async function matches(
  { prefix, signatures }: SignedHeaders,
  sign: Signer,
  body: Uint8Array,
): Promise<boolean> {
  const expected = `v1=${await sign(prefix, body)}`;
  return signatures.some((signature) => equal(signature, expected));
}
