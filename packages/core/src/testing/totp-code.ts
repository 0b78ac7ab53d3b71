import type { Clock } from "@querybell/domain";
import { codeAt, stepAt } from "../identity/totp.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code that an app shows, or will show some steps later. */
export const nextTotpCode = (secret: string, clock: Clock, stepsLater = 0): string =>
  codeAt(fromBase32(secret), stepAt(clock.now()) + stepsLater);
