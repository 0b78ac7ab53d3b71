import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

// Codes that change every 30 seconds (RFC 6238), with the parameters that every app knows: SHA-1, six digits.

const stepMs = 30_000;
const digits = 6;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const newTotpSecret = (): Uint8Array => randomBytes(20);

export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

export const totpUri = (secret: Uint8Array, { email, host }: { email: string; host: string }): string => {
  const issuer = `Querybell (${host})`;
  const query = new URLSearchParams({
    secret: toBase32(secret),
    issuer,
    period: "30",
    digits: "6",
    algorithm: "SHA1",
  });
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${email}`)}?${query.toString().replaceAll("+", "%20")}`;
};

export const stepAt = (now: Date): number => Math.floor(now.getTime() / stepMs);

export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac("sha1", secret).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const number = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The step of a code: the current one, or one beside it, for clocks that differ. Undefined if it fits none. */
export function findStep(secret: Uint8Array, code: string, now: Date): number | undefined {
  if (code.length !== digits) return undefined;
  const current = stepAt(now);
  return [current, current - 1, current + 1].find((step) =>
    timingSafeEqual(
      Buffer.from(codeAt(secret, step)),
      Buffer.from(code.padEnd(digits).slice(0, digits), "latin1"),
    ),
  );
}
