import type { Survivor } from "./survivor.ts";

/** Changes that no test can notice, because the program does the same without them. */
export const explainedSurvivors: (Survivor & { because: string })[] = [
  {
    file: "packages/sealing/src/sealer.ts",
    line: 'const [, keyId = "", encoded = ""] = envelope.exec(sealed) ?? [];',
    change: '"" → "Stryker was here!"',
    because:
      "no keyring has a key of this id, as it has none with an empty id: the value is refused before it is read",
  },
  {
    file: "packages/sealing/src/sealer.ts",
    line: 'const [, keyId = "", encoded = ""] = envelope.exec(sealed) ?? [];',
    change: '[] → ["Stryker was here"]',
    because: "the first entry of a match is not used",
  },
  {
    file: "packages/sealing/src/sealer.ts",
    line: 'if (!current) throw new Error("The keyring is empty.");',
    change: "!current → false",
    because: "the type of the keyring has at least one key; the line is there for the compiler",
  },
  {
    file: "packages/sealing/src/sealer.ts",
    line: "const cipher = createCipheriv(algorithm, current.secret, nonce, { authTagLength: tagBytes });",
    change: "{ authTagLength: tagBytes } → {}",
    because: "16 bytes is what Node takes by itself; it is said because Node warns otherwise",
  },
  {
    file: "packages/sealing/src/sealer.ts",
    line: "const decipher = createDecipheriv(algorithm, key.secret, body.subarray(0, nonceBytes), {",
    change: "{ authTagLength: tagBytes, } → {}",
    because: "the tag is always the last 16 bytes; it is said because Node warns otherwise",
  },
  {
    file: "packages/sealing/src/keyring.ts",
    line: ".split(/[\\s,]+/)",
    change: "/[\\s,]+/ → /[\\s,]/",
    because: "empty entries are left out in the next line",
  },
  {
    file: "packages/sealing/src/keyring.ts",
    line: 'const [id = "", encoded = "", ...more] = entry.split(":");',
    change: '"" → "Stryker was here!"',
    because: "neither is an id or base64: the key is refused with the same sentence",
  },
  {
    file: "packages/cursors/src/snapshot.ts",
    line: 'const [, xmin = "", xmax = "", list = ""] = snapshotPattern.exec(snapshot) ?? [];',
    change: '"" → "Stryker was here!"',
    because:
      "the second and the third are there whenever the first is, and without it the snapshot is refused",
  },
  {
    file: "packages/cursors/src/snapshot.ts",
    line: 'const [, xmin = "", xmax = "", list = ""] = snapshotPattern.exec(snapshot) ?? [];',
    change: '[] → ["Stryker was here"]',
    because: "the first entry of a match is not used",
  },
  {
    file: "packages/cursors/src/cursors.ts",
    line: 'const hash = createHash("sha256").update(filter).digest("base64url");',
    change: '"base64url" → ""',
    because: "the bytes of the hash read as text differ between filters as well",
  },
  {
    file: "packages/webhooks/src/pump/leases.ts",
    line: "lease_until < now() AND id <> $1",
    change: "lease_until < now() AND id <> $1 → lease_until < now()",
    because:
      "Postgres leaves a row alone that the same statement has updated, as it does the pump's own; the condition does not rely on that",
  },
  {
    file: "packages/webhook-receiver/src/index.node.ts",
    line: 'expected.write(digest, scheme.length, "latin1");',
    change: '"latin1" → ""',
    because: "Node then takes UTF-8, in which hexadecimal digits are the same bytes",
  },
  {
    file: "packages/webhook-receiver/src/index.node.ts",
    line: 'given.write(signature, "latin1");',
    change: '"latin1" → ""',
    because: "Node then takes UTF-8, in which hexadecimal digits are the same bytes",
  },
  {
    file: "packages/webhook-receiver/src/lib/dedupe.ts",
    line: 'const claim: Claim = store ? await store.claim(key) : { kind: "claimed", token: "" };',
    change: '"" → "Stryker was here!"',
    because: "without a store nobody reads the token",
  },
  {
    file: "packages/webhook-receiver/src/lib/dedupe.ts",
    line: "const renew = () => void store?.renew?.(key, token).catch(() => {});",
    change: "store?.renew?.(key, token) → store?.renew(key, token)",
    because: "the timer that calls it is started only if the store can renew",
  },
  {
    file: "packages/webhook-receiver/src/lib/dedupe.ts",
    line: "const renew = () => void store?.renew?.(key, token).catch(() => {});",
    change: "store?.renew → store.renew",
    because: "the timer that calls it is started only if there is a store",
  },
  {
    file: "packages/webhook-receiver/src/lib/dedupe.ts",
    line: "await store?.release(key, token);",
    change: "store?.release → store.release",
    because: "an error here is ignored, so that the error of the handler is thrown",
  },
  {
    file: "packages/webhook-receiver/src/lib/event.ts",
    line: "} catch {",
    change: "{ return undefined; } → {}",
    because: "a function that ends without a value returns undefined",
  },
  {
    file: "packages/webhook-receiver/src/lib/headers.ts",
    line: 'if (typeof value === "string") return value;',
    change: 'typeof value === "string" → false',
    because: "a list of one text is joined to that text; the line only saves time",
  },
  {
    file: "packages/webhook-receiver/src/lib/headers.ts",
    line: 'if (typeof value === "string") return value;',
    change: '"string" → ""',
    because: "a list of one text is joined to that text; the line only saves time",
  },
  {
    file: "packages/webhook-receiver/src/lib/headers.ts",
    line: "for (let at = 0; at < list.length; at += 2)",
    change: "at < list.length → at <= list.length",
    because: "there is no name after the end of the list",
  },
  {
    file: "packages/webhook-receiver/src/lib/headers.ts",
    line: 'key === name || (typeof key === "string" && key.length === name.length && key.toLowerCase() === name);',
    change: "key === name → false",
    because: "a name in lower case is equal to itself in lower case; the comparison only saves time",
  },
  {
    file: "packages/webhook-receiver/src/lib/headers.ts",
    line: 'key === name || (typeof key === "string" && key.length === name.length && key.toLowerCase() === name);',
    change: "key.length === name.length → true",
    because: "texts of different lengths are not equal either; the comparison only saves time",
  },
  {
    file: "packages/webhook-receiver/src/lib/hmac.web.ts",
    line: 'const key = crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);',
    change: "false → true",
    because: "whether a key can be exported is not seen from outside: the function keeps it",
  },
  {
    file: "packages/webhook-receiver/src/lib/hmac.web.ts",
    line: "for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);",
    change: "at < a.length → at <= a.length",
    because: "both texts have the same length, and after the end of both nothing differs",
  },
  {
    file: "packages/webhook-receiver/src/lib/secrets.ts",
    line: '} = typeof given === "string" ? { secret: given } : (given ?? { secret: undefined });',
    change: "{ secret: undefined } → {}",
    because: "a field that is absent is undefined too",
  },
  {
    file: "packages/webhook-receiver/src/lib/signed-headers.ts",
    line: "if (isSignature(header)) return [header];",
    change: "isSignature(header) → false",
    because: "a list of one signature is taken apart to the same; the line only saves time",
  },
  {
    file: "packages/webhook-receiver/src/lib/signed-headers.ts",
    line: "const early = age < 0;",
    change: "age < 0 → age <= 0",
    because: "an age of 0 is within every tolerance and has returned before",
  },
  {
    file: "packages/webhook-receiver/src/memory.ts",
    line: "const token = String(++tokens);",
    change: "++tokens → --tokens",
    because: "the tokens only have to differ",
  },
];
