import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A key pair of a customer, as PEM and as the key that signs. */
export function createSigner(): { publicKey: string; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(), privateKey };
}

/** Signs a token as a customer's server does. It shares no code with what verifies it. */
export function signToken(privateKey: KeyObject, header: object, payload: object): string {
  const text = `${encode({ alg: "EdDSA", ...header })}.${encode(payload)}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
}

/** A token with other parts than those that were signed. */
export function forgeToken(token: string, header: object, payload?: object): string {
  const [, signed = "", signature = ""] = token.split(".");
  return [encode(header), payload ? encode(payload) : signed, signature].join(".");
}
