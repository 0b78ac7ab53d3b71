import { readFileSync } from "node:fs";

const checkEveryMs = 50;
// Linux has had pages of 4 KiB wherever this runs; larger ones would make the figure too small.
const pageBytes = 4096;

/** The memory a process holds, from outside it; undefined where the system does not say. */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, pages = ""] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
    return Number(pages) * pageBytes;
  } catch {
    return undefined;
  }
}

/** Watches from the parent, since a process that is out of memory cannot be trusted to notice. */
export function watchMemory(pid: number, limitBytes: number, onExceeded: () => void): { stop(): void } {
  const timer = setInterval(() => {
    if ((residentBytes(pid) ?? 0) <= limitBytes) return;
    clearInterval(timer);
    onExceeded();
  }, checkEveryMs);
  return { stop: () => clearInterval(timer) };
}
