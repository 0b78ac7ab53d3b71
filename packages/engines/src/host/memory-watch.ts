import { readFileSync } from "node:fs";

const checkEveryMs = 50;

/** The resident memory of a process; undefined on systems other than Linux. */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Watches from the parent, because a process that runs out of memory may not be able to notice it. */
export function watchMemory(pid: () => number, limitBytes: number, onExceeded: () => void): { stop(): void } {
  const timer = setInterval(() => {
    if ((residentBytes(pid()) ?? 0) <= limitBytes) return;
    clearInterval(timer);
    onExceeded();
  }, checkEveryMs);
  return { stop: () => clearInterval(timer) };
}
