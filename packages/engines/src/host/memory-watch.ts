import { readFileSync } from "node:fs";

const checkEveryMs = 50;

/** The memory a process holds, from outside it; undefined where the system (any but Linux) does not say. */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Watches from the parent, since a process that is out of memory cannot be trusted to notice. */
export function watchMemory(pid: () => number, limitBytes: number, onExceeded: () => void): { stop(): void } {
  const timer = setInterval(() => {
    if ((residentBytes(pid()) ?? 0) <= limitBytes) return;
    clearInterval(timer);
    onExceeded();
  }, checkEveryMs);
  return { stop: () => clearInterval(timer) };
}
