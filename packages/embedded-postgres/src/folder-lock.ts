import { createHash } from "node:crypto";
import { once } from "node:events";
import { constants, open } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedPostgresError, isSystemError } from "./embedded-postgres-error.ts";

/** One launcher for each folder. */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const lock = await tryLockFolder(folder, "postgres");
  if (lock) return lock;
  throw new EmbeddedPostgresError(
    `Another process is already running the database in ${folder}: stop that one, or wait until it has stopped.`,
  );
}

/**
 * Locks a folder for one purpose, or returns undefined if another process has done that. The kernel takes the lock back
 * however its process ends, so it is never stale.
 */
export async function tryLockFolder(folder: string, purpose: string): Promise<AsyncDisposable | undefined> {
  const name = `querybell-${purpose}-${createHash("sha256").update(folder).digest("hex")}`;
  try {
    return await (process.platform === "linux" ? acquireName(name) : acquireFile(join(tmpdir(), name)));
  } catch (error) {
    if (isSystemError(error) && takenCodes.has(error.code ?? "")) return undefined;
    throw error;
  }
}

const takenCodes = new Set(["EADDRINUSE", "EAGAIN"]);

/** A name in Linux's abstract socket namespace, which the kernel gives to one process at a time. */
async function acquireName(name: string): Promise<AsyncDisposable> {
  const server = createServer((visitor) => visitor.destroy());
  server.listen({ path: `\0${name}`, exclusive: true });
  await once(server, "listening");
  // The lock must not keep the process alive.
  server.unref();
  return server;
}

// O_EXLOCK of macOS and the BSDs locks exclusively. Node has no name for it.
const openLocked = constants.O_RDWR | constants.O_NONBLOCK | constants.O_CREAT | 0x20;

/** For systems with O_EXLOCK: a file that is opened with a lock. The empty file stays. */
const acquireFile = (path: string): Promise<AsyncDisposable> => open(path, openLocked, 0o600);
