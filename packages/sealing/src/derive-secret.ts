import { hkdfSync } from "node:crypto";
import type { SealingKey } from "./keyring.ts";

/** A secret of its own for another use (signing cookies, say), made from a key and that use's name. */
export const deriveSecret = ({ secret }: SealingKey, use: string): string =>
  Buffer.from(hkdfSync("sha256", secret, "", use, 32)).toString("base64url");
