import { Failure } from "../errors/failure.ts";

// The browser's part of WebAuthn. What it returns is checked by the api.

type Json = Record<string, unknown>;

/** Lets the browser create a passkey. */
export const createPasskey = <Answer>(options: Json): Promise<Answer> =>
  run(() => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as unknown as PublicKeyCredentialCreationOptionsJSON,
    );
    return navigator.credentials.create({ publicKey });
  });

/** Lets the person choose a passkey, which answers the challenge. */
export const answerWithPasskey = <Answer>(options: Json): Promise<Answer> =>
  run(() => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      options as unknown as PublicKeyCredentialRequestOptionsJSON,
    );
    return navigator.credentials.get({ publicKey });
  });

/** Whether this browser knows passkeys. */
export const hasPasskeys = (): boolean =>
  "PublicKeyCredential" in globalThis && "parseRequestOptionsFromJSON" in PublicKeyCredential;

async function run<Answer>(ask: () => Promise<Credential | null>): Promise<Answer> {
  if (!hasPasskeys()) throw new Failure("This browser does not know passkeys. Use another way.");
  const credential = await ask().catch((error: unknown) => {
    const name = error instanceof DOMException ? error.name : "";
    if (name === "InvalidStateError")
      throw new Failure("This device has a passkey for your account already.");
    throw new Failure(
      "No passkey was used: it was cancelled, or this device has none for this site. Try again.",
    );
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Failure("No passkey was used. Try again.");
  return credential.toJSON() as Answer;
}
