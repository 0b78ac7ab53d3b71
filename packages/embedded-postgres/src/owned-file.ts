import { randomBytes } from "node:crypto";
import { open, rename } from "node:fs/promises";
import type { Account } from "./account.ts";

/** Writes a file atomically; only the account can read it. */
export async function writeOwnedFile(path: string, text: string, account: Account): Promise<void> {
  const partial = `${path}.${randomBytes(6).toString("hex")}`;
  await using file = await open(partial, "wx", 0o600);
  await file.chown(account.uid, account.gid);
  await file.writeFile(text);
  await rename(partial, path);
}
