import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Clock } from "./clock.ts";

let last = { ms: 0, count: 0 };

/**
 * Ids are UUIDv7: 48 bits of milliseconds, 12 bits that count on within one, then chance. Those of one
 * process sort in the order of their creation, even within a millisecond or when the clock is set back.
 */
export function newId(clock: Clock): string {
  const ms = clock.now().getTime();
  if (ms > last.ms) last = { ms, count: 0 };
  else last = last.count < 0xfff ? { ...last, count: last.count + 1 } : { ms: last.ms + 1, count: 0 };
  const bytes = randomBytes(16);
  bytes.writeUIntBE(last.ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | last.count, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export const Id = z.uuid({ error: "must be a UUID" });
