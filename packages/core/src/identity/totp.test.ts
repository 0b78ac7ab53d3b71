import { expect, test } from "vitest";
import { codeAt, findStep, stepAt, toBase32, totpUri } from "./totp.ts";

const secret = Buffer.from("12345678901234567890");

// The values of RFC 6238, appendix B, in six digits.
test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_234_567_890, "005924"],
  [20_000_000_000, "353130"],
])("the code at second %i is %s", (second, code) => {
  expect(codeAt(secret, stepAt(new Date(second * 1000)))).toBe(code);
});

test("a code fits its step and the ones beside it", () => {
  const now = new Date("2026-11-17T12:00:00Z");
  const step = stepAt(now);
  for (const near of [-1, 0, 1]) expect(findStep(secret, codeAt(secret, step + near), now)).toBe(step + near);
  for (const far of [-2, 2]) expect(findStep(secret, codeAt(secret, step + far), now)).toBeUndefined();
  for (const text of ["", "12345", "1234567", "ÿÿÿÿÿÿ"]) expect(findStep(secret, text, now)).toBeUndefined();
});

test("an app reads the secret from the address of the QR code", () => {
  expect(toBase32(secret)).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  const uri = new URL(totpUri(secret, { email: "ann+x@example.test", host: "bell.example" }));
  expect([uri.protocol, uri.searchParams.get("secret"), uri.searchParams.get("issuer")]).toEqual([
    "otpauth:",
    toBase32(secret),
    "Querybell (bell.example)",
  ]);
});
