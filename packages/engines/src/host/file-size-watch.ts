import { statSync } from "node:fs";
import type { Task } from "./messages.ts";

const checkEveryMs = 50;

/** Watches the file of a host that writes one: hostile code in it could fill the disk. */
export function watchFileSize(task: Task, onExceeded: () => void): { stop(): void } {
  if (task.kind !== "change_tables") return { stop: () => {} };
  const { database, maxFileBytes } = task;
  const timer = setInterval(() => {
    const bytes = sizeOf(database) + sizeOf(`${database}.wal`);
    if (bytes <= maxFileBytes) return;
    clearInterval(timer);
    onExceeded();
  }, checkEveryMs);
  return { stop: () => clearInterval(timer) };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
