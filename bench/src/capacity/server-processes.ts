import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readProcessStat } from "../measuring/process-stat.ts";

// Processes and what they start, by Linux's /proc and its control groups.

/** The process id of a Postgres server's first process, which starts all others. */
export const postmasterOf = (serverFolder: string): number =>
  Number(readFileSync(join(serverFolder, "data/postmaster.pid"), "utf8").split("\n")[0]);

function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => readProcessStat(pid)?.parent === parent);
}

/** Processor time so far of a process and of all that it has started, those that have ended included. */
export function treeCpuMs(pid: number): number {
  const own = readProcessStat(pid);
  if (!own) return 0;
  return childrenOf(pid).reduce((sum, child) => sum + treeCpuMs(child), own.cpuMs + own.endedChildrenCpuMs);
}

const periodUs = 10_000;

/** The first version of control groups has a folder for each controller, the second one for all. */
const root = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"].find((folder) =>
  existsSync(join(folder, "cgroup.procs")),
);

export interface CoreLimit {
  /** Lets all processes of the server together use so many cores. */
  set(cores: number): void;
  [Symbol.dispose](): void;
}

/** Limits the processor of a server with a control group. Needs root. */
export function createCoreLimit(postmaster: number): CoreLimit {
  if (!root) throw new Error("The cores of Postgres can be limited only on Linux with control groups.");
  const group = join(root, `querybell-bench-${process.pid}`);
  const move = (pids: number[], folder: string) => {
    for (const pid of pids) {
      try {
        writeFileSync(join(folder, "cgroup.procs"), String(pid));
      } catch (error) {
        if (readProcessStat(pid)) throw error;
      }
    }
  };
  const inGroup = () =>
    readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  mkdirSync(group);
  move([postmaster, ...childrenOf(postmaster)], group);
  const quotaFile = join(group, "cpu.cfs_quota_us");
  return {
    set(cores) {
      const quotaUs = Math.round(cores * periodUs);
      if (existsSync(quotaFile)) {
        writeFileSync(join(group, "cpu.cfs_period_us"), String(periodUs));
        writeFileSync(quotaFile, String(quotaUs));
      } else {
        writeFileSync(join(group, "cpu.max"), `${quotaUs} ${periodUs}`);
      }
    },
    [Symbol.dispose]() {
      // What is started meanwhile is in the group too.
      for (let left = inGroup(); left.length > 0; left = inGroup()) move(left, root);
      rmdirSync(group);
    },
  };
}
