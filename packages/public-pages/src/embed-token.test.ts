import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { hashEmbedValues, hashScope, readPublicKey, verifyEmbedToken } from "./embed-token.ts";
import { createSigner, forgeToken, signToken } from "./testing/sign-token.ts";

const kid = "01890a5d-ac96-774b-bcce-b302099a8057";
const { publicKey, privateKey } = createSigner();
const now = new Date("2026-11-18T12:00:00Z");
const seconds = now.getTime() / 1000;
const claims = {
  aud: "querybell-embed",
  iat: seconds,
  exp: seconds + 3600,
  item: { kind: "chart", id: "sales" },
  locked: { customer: "17" },
  open: ["month"],
};

const verify = (token: string, key: string | undefined = publicKey) =>
  verifyEmbedToken(token, { now, findKey: async (id) => (id === kid ? key : undefined) });

const hmacToken = (secret: string | Buffer) => {
  const [head = "", body = ""] = forgeToken(signToken(privateKey, { kid }, claims), {
    ...{ alg: "HS256", kid, typ: "JWT" },
  }).split(".");
  const signature = createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url");
  return `${head}.${body}.${signature}`;
};

test("a token of the key allows one item, with its locked values and open filters", async () => {
  for (const alg of ["EdDSA", "Ed25519"]) {
    expect(await verify(signToken(privateKey, { alg, kid }, claims))).toEqual({
      kind: "valid",
      publicKey,
      grant: {
        keyId: kid,
        item: { kind: "chart", id: "sales" },
        locked: { customer: "17" },
        open: ["month"],
        expiresAt: new Date("2026-11-18T13:00:00Z"),
      },
    });
  }
});

const good = signToken(privateKey, { kid }, claims);
const signed = (changes: object, header: object = { kid }) =>
  signToken(privateKey, header, { ...claims, ...changes });
const der = createPublicKey(publicKey).export({ type: "spki", format: "der" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });

describe("a token is refused", () => {
  test.for([
    ["without a signature", `${good.split(".").slice(0, 2).join(".")}.`],
    ["of the algorithm none", forgeToken(good, { alg: "none", kid }).replace(/[^.]*$/, "")],
    ["of the algorithm none, with the signature", forgeToken(good, { alg: "none", kid })],
    ["signed by HMAC with the public key as PEM", hmacToken(publicKey)],
    ["signed by HMAC with the public key as DER", hmacToken(der)],
    ["signed by HMAC with the raw public key", hmacToken(der.subarray(-32))],
    ["signed by HMAC with nothing", hmacToken("")],
    ["that names another algorithm", forgeToken(good, { alg: "ES256", kid })],
    [
      "whose item was changed",
      forgeToken(good, { alg: "EdDSA", kid }, { ...claims, item: { kind: "chart", id: "pay" } }),
    ],
    [
      "whose locked value was changed",
      forgeToken(good, { alg: "EdDSA", kid }, { ...claims, locked: { customer: "18" } }),
    ],
    ["whose header was changed", forgeToken(good, { alg: "EdDSA", kid, typ: "JWT" })],
    [
      "with its own key in the header",
      signToken(
        createSigner().privateKey,
        { kid, jwk: { kty: "OKP", crv: "Ed25519", x: der.subarray(-32).toString("base64url") } },
        claims,
      ),
    ],
    ["signed by another key", signToken(createSigner().privateKey, { kid }, claims)],
    ["without a kid", signToken(privateKey, {}, claims)],
    ["of an unknown kid", signed({}, { kid: "01890a5d-ac96-774b-bcce-b302099a8058" })],
    ["whose kid is SQL", signed({}, { kid: "' OR 1=1 --" })],
    ["with a critical header that is not understood", signed({}, { kid, crit: ["x"], x: 1 })],
    ["that has expired", signed({ iat: seconds - 7200, exp: seconds - 1 })],
    ["that lives longer than a day", signed({ exp: seconds + 86_401 })],
    ["that lived longer than a day", signed({ iat: seconds - 86_401, exp: seconds + 60 })],
    ["of the future", signed({ iat: seconds + 3600, exp: seconds + 7200 })],
    ["without exp", signed({ exp: undefined })],
    ["without iat", signed({ iat: undefined })],
    ["with exp as text", signed({ exp: "9999999999" })],
    ["that is not valid yet", signed({ nbf: seconds + 600 })],
    ["for another audience", signed({ aud: "other" })],
    ["without an audience", signed({ aud: undefined })],
    ["without an item", signed({ item: undefined })],
    ["for an item of another kind", signed({ item: { kind: "query", id: kid } })],
    ["that opens what it locks", signed({ open: ["customer"] })],
    ["that locks a number", signed({ locked: { customer: 17 } })],
    ["that is too long", signed({ padding: "x".repeat(20_000) })],
    ["that is no token", "a.b.c"],
    ["that is empty", ""],
  ] as const)("%s", async ([, token]) => {
    expect(await verify(token)).toEqual({ kind: "refused", reason: expect.stringMatching(/\.$/) });
  });
});

test("equal tokens have one scope, and the visitor's values are those of open filters", () => {
  const grant = {
    ...({ keyId: kid, item: { kind: "chart", id: "sales" }, expiresAt: now } as const),
    ...{ locked: { a: "1", b: "2" }, open: ["x", "y"] },
  };
  const same = { ...grant, locked: { b: "2", a: "1" }, open: ["y", "x"], expiresAt: new Date(0) };
  expect(hashScope(same)).toEqual(hashScope(grant));
  expect(hashScope({ ...grant, locked: { a: "1" } })).not.toEqual(hashScope(grant));
  expect(hashEmbedValues(grant, { x: "1", y: "2" })).toEqual(hashEmbedValues(same, { y: "2", x: "1" }));
  expect(hashEmbedValues(grant, { x: "1" })).not.toEqual(hashEmbedValues(grant, {}));
  expect(hashEmbedValues(grant, { a: "3" })).toBeUndefined();
});

test("only an Ed25519 public key is one", () => {
  expect(readPublicKey(` ${publicKey.replaceAll("\n", "\r\n")}`)).toBe(publicKey);
  expect(readPublicKey(privateKey.export({ type: "pkcs8", format: "pem" }).toString())).toBeUndefined();
  expect(readPublicKey(rsa.publicKey.export({ type: "spki", format: "pem" }).toString())).toBeUndefined();
  expect(readPublicKey("-----BEGIN PUBLIC KEY-----\nxx\n-----END PUBLIC KEY-----")).toBeUndefined();
});
