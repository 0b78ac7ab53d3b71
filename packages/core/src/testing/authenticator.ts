import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import type { NewPasskey, PasskeyAnswer, PasskeyOptions } from "@querybell/domain";

interface Circumstances {
  /** The site whose page asks. */
  origin: string;
  /** Whether the device has verified its person. */
  isVerified?: boolean;
  counter?: number;
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const base64url = (data: Buffer) => data.toString("base64url");

/** A device with one passkey, as software: it signs whatever page asks it, so that tests can play attackers. */
export function createAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const credentialId = randomBytes(16);
  let uses = 0;
  let userHandle = "";

  const clientData = (type: string, options: PasskeyOptions["options"], origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge: options.challenge, origin, crossOrigin: false }));

  const authenticatorData = (
    { origin, isVerified = true, counter = ++uses }: Circumstances,
    attested = false,
  ) => {
    const head = Buffer.alloc(37);
    sha256(new URL(origin).hostname).copy(head);
    head.writeUInt8(0x01 | (isVerified ? 0x04 : 0) | (attested ? 0x40 : 0), 32);
    head.writeUInt32BE(counter, 33);
    return head;
  };

  // The public key in COSE: EC2, ES256, P-256.
  const coseKey = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);

  return {
    create({ options }: PasskeyOptions, circumstances: Circumstances): NewPasskey["credential"] {
      userHandle = String(Object(options.user).id);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const data = Buffer.concat([
        authenticatorData(circumstances, true),
        Buffer.alloc(16),
        length,
        credentialId,
        coseKey,
      ]);
      // CBOR of { fmt: "none", attStmt: {}, authData }.
      const attestation = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
        Buffer.from([0x58, data.length]),
        data,
      ]);
      return {
        id: base64url(credentialId),
        rawId: base64url(credentialId),
        type: "public-key",
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", options, circumstances.origin)),
          attestationObject: base64url(attestation),
        },
        clientExtensionResults: {},
      };
    },

    answer({ options }: PasskeyOptions, circumstances: Circumstances): PasskeyAnswer {
      const data = authenticatorData(circumstances);
      const client = clientData("webauthn.get", options, circumstances.origin);
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      return {
        id: base64url(credentialId),
        rawId: base64url(credentialId),
        type: "public-key",
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(signature),
          userHandle,
        },
        clientExtensionResults: {},
      };
    },
  };
}
