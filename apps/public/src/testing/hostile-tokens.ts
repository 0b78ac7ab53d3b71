import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { SeededRandom } from "@querybell/core/testing";

interface Key {
  id: string;
  publicKey: string;
  claims: (changes?: object) => { iat: number; exp: number };
  sign: (changes: object, header?: object) => string;
}

interface Known {
  /** Of the organization that is attacked. Nothing that is made here is signed with it as it should be. */
  key: Key;
  /** Of another organization, which signs for itself. */
  foreign: Key;
  /** What the attacked organization embeds. */
  items: readonly [object, ...object[]];
}

interface HostileToken {
  token: string;
  /** Whether another organization has signed it for itself, as it may: for things that are not its own. */
  isForeign?: boolean;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const attacker = generateKeyPairSync("ed25519");
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });

const signWith = (header: object, payload: unknown, signer: (text: string) => Buffer): string => {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${signer(text).toString("base64url")}`;
};

const withKey = (key: KeyObject) => (text: string) => sign(null, Buffer.from(text), key);

const rawKey = (pem: string): Buffer =>
  createPublicKey(pem).export({ type: "spki", format: "der" }).subarray(-32);

/** A token that must not open a frame of the attacked organization. The same random choices make a token of the same kind. */
export function createHostileToken(random: SeededRandom, { key, foreign, items }: Known): HostileToken {
  const { pick, below } = random;
  const item = pick(items);
  const claims = {
    ...key.claims(),
    item,
    locked: { fruit: pick(["pear", "apple", "' OR 1=1 --", ""]) },
    open: [],
  };
  const { iat } = claims;
  const header = { alg: "EdDSA", kid: key.id };
  const good = () => key.sign(claims);
  const parts = () => good().split(".") as [string, string, string];
  const kinds: [() => HostileToken, ...(() => HostileToken)[]] = [
    // Other contents than were signed.
    () => {
      const [head, , signature] = parts();
      const changed = pick([
        { ...claims, locked: { fruit: "fig" } },
        { ...claims, locked: {} },
        { ...claims, open: ["fruit", "floor"], locked: {} },
        { ...claims, item: pick(items), exp: iat + 86_000 },
        [claims],
        null,
      ]);
      return { token: [head, encode(changed), signature].join(".") };
    },
    () => ({ token: flip(random, good()) }),
    // Other algorithms, also with the public key as a shared secret.
    () => ({ token: `${encode({ ...header, alg: pick(["none", "None", "NONE", ""]) })}.${encode(claims)}.` }),
    () => {
      const alg = pick(["HS256", "HS384", "HS512"]);
      const secret = pick([key.publicKey, key.publicKey.trim(), rawKey(key.publicKey), "", key.id]);
      const hmac = (text: string) => createHmac(alg.replace("HS", "sha"), secret).update(text).digest();
      return { token: signWith({ ...header, alg }, claims, hmac) };
    },
    () => ({
      token: signWith({ ...header, alg: pick(["RS256", "PS256", "ES256"]) }, claims, (text) =>
        sign("sha256", Buffer.from(text), rsa.privateKey),
      ),
    }),
    // A key of the attacker, which the header brings along or points to.
    () => {
      const jwk = attacker.publicKey.export({ format: "jwk" });
      const brought = pick<object>([
        { jwk },
        { jku: "http://127.0.0.1:1/keys" },
        { x5u: "http://127.0.0.1:1/x" },
        { x5c: ["AAAA"] },
        { crit: ["b64"], b64: false },
        {},
      ]);
      return { token: signWith({ ...header, ...brought }, claims, withKey(attacker.privateKey)) };
    },
    () => {
      const kid = pick([
        "../../../../dev/null",
        "' OR '1'='1",
        "00000000-0000-0000-0000-000000000000",
        random.uuid(),
        [key.id],
        null,
        "__proto__",
      ]);
      return { token: signWith({ alg: "EdDSA", kid }, claims, withKey(attacker.privateKey)) };
    },
    // Signed as it should be, and not valid.
    () => ({ token: key.sign({ ...claims, iat: iat - 7200, exp: iat - 1 - below(3600) }) }),
    () => ({ token: key.sign({ ...claims, exp: iat + 86_401 + below(1e6) }) }),
    () => ({ token: key.sign({ ...claims, iat: iat + 3600 + below(1e6), exp: iat + 2e6 }) }),
    () => ({
      token: key.sign({ ...claims, aud: pick(["querybell", "querybell-embed ", undefined, ["x"]]) }),
    }),
    () => ({
      token: key.sign({ ...claims, [pick(["iat", "exp", "item"])]: pick([undefined, "1", null, 1.5, {}]) }),
    }),
    () => ({ token: key.sign({ ...claims, item: { kind: pick(["query", "run", ""]), id: random.uuid() } }) }),
    () => ({ token: key.sign({ ...claims, locked: { "1; DROP TABLE runs": "x" } }) }),
    () => ({ token: key.sign({ ...claims, locked: { fruit: "pear" }, open: ["fruit"] }) }),
    // Of another organization, with the id of this key, and for itself.
    () => ({ token: foreign.sign(claims, { kid: key.id }) }),
    () => ({ token: key.sign(claims, { kid: foreign.id }) }),
    () => ({ token: foreign.sign(claims), isForeign: true }),
    // No token at all.
    () => ({ token: pick(["", "x.y.z", "..", "a.b", `${good()}.${good()}`, "%00", "A".repeat(9000)]) }),
  ];
  return pick(kinds)();
}

/** Changes one character of a token, so that it says something else. */
function flip(random: SeededRandom, token: string): string {
  // The last character of a part has bits that are not used.
  const [part, at] = [random.below(3), random.below(40)];
  return token
    .split(".")
    .map((text, number) => {
      if (number !== part) return text;
      const other = text[at] === "A" ? "B" : "A";
      return `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
    })
    .join(".");
}
