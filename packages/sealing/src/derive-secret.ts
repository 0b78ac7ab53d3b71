import { hkdfSync } from "node:crypto";
import type { SealingKey } from "./keyring.ts";

/** Derives an independent secret for another use, such as signing cookies (HKDF with SHA-256). */
export const deriveSecret = ({ secret }: SealingKey, use: string): string =>
  Buffer.from(hkdfSync("sha256", secret, "", use, 32)).toString("base64url");
