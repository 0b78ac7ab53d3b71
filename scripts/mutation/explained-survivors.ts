import { explainedInGuard } from "./explained-in-guard.ts";
import { explainedInReceiver } from "./explained-in-receiver.ts";
import type { ExplainedSurvivor } from "./survivor.ts";

/** Changes that no test can notice, because the program does the same without them. */
export const explainedSurvivors: ExplainedSurvivor[] = [
  ...explainedInGuard,
  ...explainedInReceiver,
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
    file: "packages/cursors/src/cursors.ts",
    line: 'const [, xmin = "", xmax = "", list = ""] = snapshotPattern.exec(snapshot) ?? [];',
    change: '"" → "Stryker was here!"',
    because:
      "the second and the third are there whenever the first is, and without it the snapshot is refused",
  },
  {
    file: "packages/cursors/src/cursors.ts",
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
];
