import { lstatSync, opendirSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { findProcessFolder, statDescriptors, undefinedIfMissing } from "./proc-files.ts";

const intervalMs = 50;
/** A change needs the database, its write-ahead log and a few files beside them. */
const maxEntries = 100;

interface Workspace {
  folder: string;
  /** The process that writes to it. */
  pid: () => number;
  maxBytes: number;
}

/** Watches everything that a host can store on the disk: hostile code in it could fill it. */
export function watchWorkspace(workspace: Workspace, onExceeded: () => void): { stop(): void } {
  const timer = setInterval(() => {
    if (workspaceBytes(workspace) <= workspace.maxBytes) return;
    clearInterval(timer);
    onExceeded();
  }, intervalMs);
  return { stop: () => clearInterval(timer) };
}

/**
 * The bytes of all files in the folder, and of those that were deleted and are still open. Infinite if there are too
 * many, or if a deleted one is mapped into memory: its size cannot be seen, and DuckDB maps none.
 */
export function workspaceBytes({ folder, pid }: Omit<Workspace, "maxBytes">): number {
  try {
    return bytesInFolder(folder, { left: maxEntries }) + bytesOfDeletedFiles(findProcessFolder(pid()));
  } catch {
    // A folder without permissions could hide anything.
    return Number.POSITIVE_INFINITY;
  }
}

function bytesInFolder(folder: string, entries: { left: number }): number {
  using opened = undefinedIfMissing(() => opendirSync(folder));
  let bytes = 0;
  for (let entry = opened?.readSync(); entry; entry = opened?.readSync()) {
    if (--entries.left < 0) return Number.POSITIVE_INFINITY;
    const path = join(folder, entry.name);
    bytes += storedBytes(undefinedIfMissing(() => lstatSync(path)));
    if (entry.isDirectory()) bytes += bytesInFolder(path, entries);
  }
  return bytes;
}

function bytesOfDeletedFiles(processFolder: string): number {
  const maps = undefinedIfMissing(() => readFileSync(`${processFolder}/maps`, "utf8")) ?? "";
  if (/ \(deleted\)$/m.test(maps)) return Number.POSITIVE_INFINITY;
  return statDescriptors(processFolder)
    .filter((stats) => stats.isFile() && stats.nlink === 0)
    .reduce((sum, stats) => sum + storedBytes(stats), 0);
}

/**
 * A sparse file takes its full size when it is copied. A file can also have more blocks than its size needs.
 */
const storedBytes = (stats: Stats | undefined): number =>
  stats ? Math.max(stats.size, stats.blocks * 512) : 0;
