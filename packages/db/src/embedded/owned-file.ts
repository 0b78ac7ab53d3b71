import { randomBytes } from "node:crypto";
import { chown, rename, writeFile } from "node:fs/promises";
import type { Account } from "./account.ts";

/** Writes a file that only the account can read, whole or not at all. */
export async function writeOwnedFile(path: string, text: string, account: Account): Promise<void> {
  const partial = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(partial, text, { mode: 0o600, flag: "wx" });
  await chown(partial, account.uid, account.gid);
  await rename(partial, path);
}
