import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { type FileHandle, open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./account.ts";
import type { Programs } from "./programs.ts";

/** Where and as whom Postgres's programs run. */
export interface Surroundings {
  programs: Programs;
  account: Account;
  /** The folder that holds the data folder and what belongs to it. */
  place: string;
}

export interface Running {
  child: ChildProcess & { pid: number };
  /** What this run has written to its log so far. */
  log(): Promise<{ path: string; text: string }>;
}

export interface Invocation {
  program: "initdb" | "postgres";
  args: string[];
  /** What it reads from its standard input. */
  input?: string;
  logName: string;
}

const logLimit = 1024 * 1024;

/**
 * Runs a program in a session of its own, so that a Ctrl-C in the terminal reaches us and not it, and with
 * an environment of its own, so that neither PG* variables nor a missing locale change what it does.
 */
export async function runProgram(
  where: Surroundings,
  { program, args, input, logName }: Invocation,
): Promise<Running> {
  const path = join(where.place, logName);
  const file = await openLog(path, where.account);
  try {
    const begin = (await file.stat()).size;
    const child = spawn(join(where.programs.folder, "bin", program), args, {
      uid: where.account.uid,
      gid: where.account.gid,
      cwd: where.place,
      env: { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" },
      detached: true,
      stdio: [input === undefined ? "ignore" : "pipe", file.fd, file.fd],
    });
    await once(child, "spawn");
    child.stdin?.end(input);
    return { child: withPid(child), log: async () => ({ path, text: await readFrom(path, begin) }) };
  } finally {
    await file.close();
  }
}

function withPid(child: ChildProcess): ChildProcess & { pid: number } {
  const { pid } = child;
  if (pid === undefined) throw new Error("A spawned process has no pid.");
  return Object.assign(child, { pid });
}

/** A log is started anew when it has grown; the one before is kept. */
async function openLog(path: string, account: Account): Promise<FileHandle> {
  const before = await stat(path).catch(() => undefined);
  if (before && before.size > logLimit) await rename(path, `${path}.1`);
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  await file.chown(account.uid, account.gid);
  return file;
}

async function readFrom(path: string, begin: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const length = Math.min(size - begin, 64 * 1024);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
