import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Clock } from "./clock.ts";

/** Ids are UUIDv7: 48 bits of milliseconds, then chance, so that they sort by creation. */
export function newId(clock: Clock): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(clock.now().getTime(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export const Id = z.uuid({ error: "must be a UUID" });
