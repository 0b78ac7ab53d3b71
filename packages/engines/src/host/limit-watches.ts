import { readFileSync, statSync } from "node:fs";
import type { Task } from "./messages.ts";

const checkEveryMs = 50;

interface Watch {
  stop(): void;
}

/** Watches from the parent, because a process that runs out of memory may not be able to notice it. */
export const watchMemory = (pid: () => number, limitBytes: number, onExceeded: () => void): Watch =>
  watchBytes(() => residentBytes(pid()) ?? 0, limitBytes, onExceeded);

/** Watches the database file of a host that writes one: hostile code in it could fill the disk. */
export function watchFileSize(task: Task, onExceeded: () => void): Watch {
  if (task.kind !== "change_tables") return { stop: () => {} };
  const { database, maxFileBytes } = task;
  return watchBytes(() => sizeOf(database) + sizeOf(`${database}.wal`), maxFileBytes, onExceeded);
}

function watchBytes(readBytes: () => number, limitBytes: number, onExceeded: () => void): Watch {
  const timer = setInterval(() => {
    if (readBytes() <= limitBytes) return;
    clearInterval(timer);
    onExceeded();
  }, checkEveryMs);
  return { stop: () => clearInterval(timer) };
}

/** The resident memory of a process; undefined on systems other than Linux. */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
