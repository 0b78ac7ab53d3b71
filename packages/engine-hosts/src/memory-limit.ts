import { readFileSync } from "node:fs";
import { findProcessFolder } from "./proc-files.ts";

const minIntervalMs = 50;
/** Measuring takes at most this share of one core, however many hosts there are. */
const maxCpuShare = 0.01;
// The stack of a thread in the kernel, and what belongs to it.
const bytesPerThread = 32 * 1024;

export interface MemoryBounds {
  bytes: number;
  onExceeded: () => void;
}

/**
 * The limit on the memory of a process. Its parent measures, because a process that runs out of memory may not be able
 * to notice it. One timer measures all processes.
 */
export class MemoryLimit {
  static readonly #all = new Set<MemoryLimit>();
  static #timer: NodeJS.Timeout | undefined;
  readonly #pid: number;
  #limit: MemoryBounds;

  constructor(pid: number, limit: MemoryBounds) {
    this.#pid = pid;
    this.#limit = limit;
    MemoryLimit.#all.add(this);
    MemoryLimit.#timer ??= setTimeout(() => MemoryLimit.#checkAll(), minIntervalMs).unref();
  }

  change(limit: MemoryBounds): void {
    this.#limit = limit;
  }

  /** Must be called when the process has ended: another one can get its id. */
  stop(): void {
    MemoryLimit.#all.delete(this);
  }

  #check(): void {
    if ((usedBytes(this.#pid) ?? 0) > this.#limit.bytes) this.#limit.onExceeded();
  }

  static #checkAll(): void {
    const before = process.threadCpuUsage();
    for (const each of MemoryLimit.#all) each.#check();
    const { user, system } = process.threadCpuUsage(before);
    const delayMs = intervalAfter((user + system) / 1000);
    MemoryLimit.#timer =
      MemoryLimit.#all.size === 0 ? undefined : setTimeout(() => MemoryLimit.#checkAll(), delayMs).unref();
  }
}

/** The time until the next measurement, if one of all processes took this much CPU time. */
export const intervalAfter = (cpuMs: number): number => Math.max(minIntervalMs, cpuMs / maxCpuShare);

const usedKilobytes = /^(?:VmRSS|VmSwap|VmPTE|HugetlbPages):\s+(\d+) kB$/gm;
const privateKilobytes = /^(?:RssAnon|RssShmem|VmSwap|VmPTE|HugetlbPages):\s+(\d+) kB$/gm;

/**
 * The memory of a process, with what is swapped out, its page tables and the stacks of its threads in the kernel;
 * undefined on systems other than Linux. The isolation refuses the other ways to make the kernel hold memory.
 */
export const usedBytes = (pid: number): number | undefined => readMemory(pid, usedKilobytes);

/** Like `usedBytes`, without the files that the process maps. */
export const privateBytes = (pid: number): number | undefined => readMemory(pid, privateKilobytes);

const readMemory = (pid: number, counted: RegExp): number | undefined =>
  readStatus(`/proc/${pid}`, counted) ?? readStatus(findProcessFolder(pid), counted);

/** Undefined for a thread that has ended, which has no memory. */
function readStatus(folder: string, counted: RegExp): number | undefined {
  try {
    // Node reads UTF-8 without a buffer. For other encodings it allocates 64 KiB each time, and collecting those would
    // cost more than the measuring.
    const status = readFileSync(`${folder}/status`, "utf8");
    const kilobytes = [...status.matchAll(counted)].map(([, amount]) => Number(amount));
    if (kilobytes.length === 0) return undefined;
    const [, threads] = /^Threads:\s+(\d+)$/m.exec(status) ?? [];
    return kilobytes.reduce((sum, amount) => sum + amount) * 1024 + Number(threads) * bytesPerThread;
  } catch {
    return undefined;
  }
}
