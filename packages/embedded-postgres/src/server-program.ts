import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { copyFile, type FileHandle, open, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./account.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import type { Programs } from "./programs.ts";

/** The programs of Postgres, the system account that runs them, and their folder. */
export interface ServerContext {
  programs: Programs;
  account: Account;
  /** The folder that contains the data folder, the log and the password. */
  serverFolder: string;
}

export interface Invocation {
  program: "initdb" | "postgres";
  args: string[];
  /** The program's standard input. */
  input?: string;
  logName: string;
}

export interface Running {
  child: ChildProcess;
  /** The log output of this run so far. */
  log(): Promise<{ path: string; text: string }>;
}

/**
 * Runs a program in a new session, so that Ctrl-C in the terminal signals only this process, and with a new environment,
 * so that PG* variables and a missing locale have no effect.
 */
export async function runProgram(where: ServerContext, invocation: Invocation): Promise<Running> {
  const { program, args, input, logName } = invocation;
  const path = join(where.serverFolder, logName);
  await using file = await openLog(path, where.account);
  const begin = (await file.stat()).size;
  const command = join(where.programs.folder, "bin", program);
  const child = spawn(command, args, {
    ...where.account,
    cwd: where.serverFolder,
    env: { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" },
    detached: true,
    stdio: [input === undefined ? "ignore" : "pipe", file.fd, file.fd],
  });
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The program ${command} cannot be run on this system as user ${where.account.uid}: set DATABASE_URL to use a database of your own.`,
      { cause },
    );
  }
  // A program that ends before it has read its input writes the reason to its log.
  child.stdin?.on("error", () => {}).end(input);
  return { child, log: async () => ({ path, text: await readLog(path, begin) }) };
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

const limit = 10 * 1024 * 1024;
const tail = 64 * 1024;

/** Opens a log for a program to write to. */
async function openLog(path: string, account: Account): Promise<FileHandle> {
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
async function readLog(path: string, begin: number): Promise<string> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  const length = Math.max(0, Math.min(size - begin, tail));
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString("utf8", 0, bytesRead);
}
