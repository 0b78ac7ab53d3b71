import { webcrypto } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSecret } from "../secrets.ts";
import { sign } from "./recipient.ts";

describe("a signature", () => {
  test("verifies with another implementation over the bytes of id, timestamp and body", async () => {
    const inputs = fc.record({
      secret: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      id: fc.uuid(),
      timestamp: fc.nat(),
      body: fc.uint8Array({ maxLength: 3000 }),
    });
    await fc.assert(
      fc.asyncProperty(inputs, async ({ secret, id, timestamp, body }) => {
        const key = parseSecret(`whsec_${Buffer.from(secret).toString("base64")}`);
        const content = Buffer.concat([Buffer.from(id), Buffer.from(`.${timestamp}.`), body]);
        const hmac = { name: "HMAC", hash: "SHA-256" };
        const theirs = await webcrypto.subtle.importKey("raw", secret, hmac, false, ["verify"]);
        const signature = sign(key, timestamp, { id, body });
        expect(await webcrypto.subtle.verify("HMAC", theirs, signature, content)).toBe(true);
      }),
    );
  });

  test("is the one that receivers have been told to expect", () => {
    const key = parseSecret(`whsec_${Buffer.alloc(32, 7).toString("base64")}`);
    const signature = sign(key, 1767225600, { id: "evt_1", body: Buffer.from('{"id":"evt_1"}') });
    expect(signature.toString("hex")).toBe(
      "7c2bc853d557759ac1750251818fc49065815ad1642e6500802b3a3e1d301d95",
    );
  });
});
