import type { ExplainedSurvivor } from "./survivor.ts";

export const explainedInReceiver: ExplainedSurvivor[] = [
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
