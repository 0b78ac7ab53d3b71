import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { usedBytes } from "../memory-limit.ts";
import { findHostPid, parentOf } from "../proc-files.ts";

/** The process ids of the engine hosts that a process has started, or of the programs that launched them. */
export function hostPids(parent: number = process.pid): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent && read(`/proc/${pid}/cmdline`).includes("host-process.ts"));
}

export const isAlive = (pid: number): boolean => parentOf(pid) !== undefined;

/** The memory of a host, given the process that was started for it. */
export const usedBytesOfHost = (pid: number): number => usedBytes(findHostPid(pid)) ?? 0;

export const environmentOf = (pid: number): string[] =>
  read(`/proc/${pid}/environ`).split("\0").filter(Boolean);

/** The niceness of every thread, and of the session where the system shares its cores between sessions. */
export function nicenessOf(pid: number): number[] {
  const [, session] = /nice (-?\d+)/.exec(read(`/proc/${pid}/autogroup`)) ?? [];
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)));
  return session === undefined ? threads : [Number(session), ...threads];
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
