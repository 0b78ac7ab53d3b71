import { readFileSync } from "node:fs";

/** The unit of processor times in /proc, on every Linux that Node runs on. */
const ticksPerSecond = 100;

export interface ProcessStat {
  parent: number;
  /** Processor time so far, of all threads. */
  cpuMs: number;
  /** That of its children which have ended. */
  endedChildrenCpuMs: number;
}

/** Undefined if the process has ended. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // Without the id and the name of the process, which may contain spaces.
  const [, afterName = ""] = stat.split(") ");
  const numbers = afterName.split(" ").map(Number);
  const toMs = (...at: number[]) =>
    (at.reduce((sum, index) => sum + (numbers[index] ?? Number.NaN), 0) * 1000) / ticksPerSecond;
  return { parent: numbers[1] ?? Number.NaN, cpuMs: toMs(11, 12), endedChildrenCpuMs: toMs(13, 14) };
}
