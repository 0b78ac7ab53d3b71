import { constants } from "node:fs";
import { copyFile, type FileHandle, open, rm, stat, truncate } from "node:fs/promises";
import type { Account } from "./account.ts";

const limit = 10 * 1024 * 1024;
const tail = 64 * 1024;

/** Opens a log for a program to write to. */
export async function openLog(path: string, account: Account): Promise<FileHandle> {
  await trimLog(path);
  // Links are not followed: root must not append to another file.
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  await file.chown(account.uid, account.gid);
  return file;
}

/** Copies a large log to `<log>.1` and truncates it, while the program keeps appending. */
export async function trimLog(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found || found.size < limit) return;
  const kept = `${path}.1`;
  await rm(kept, { force: true });
  await copyFile(path, kept, constants.COPYFILE_EXCL);
  await truncate(path);
}

/** The end of what was written since the log had `begin` bytes. */
export async function readLog(path: string, begin: number): Promise<string> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  const length = Math.max(0, Math.min(size - begin, tail));
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString("utf8", 0, bytesRead);
}
