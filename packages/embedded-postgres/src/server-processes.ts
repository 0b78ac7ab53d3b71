import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/**
 * Identifies the processes of one data folder by their user and by the cluster's name, which is in the postmaster's
 * arguments and in the title of each of its children. Both can be read without the right to trace other users'
 * processes, which root does not have in most containers.
 */
export interface ClusterIdentity {
  name: string;
  uid: number;
}

interface ServerProcess {
  pid: number;
  isPostmaster: boolean;
}

/** The inode is part of the name: equal paths in two containers are not the same folder. */
export function clusterName(data: string): string {
  const { ino } = statSync(data);
  return `querybell-${createHash("sha256").update(`${data}\0${ino}`).digest("hex").slice(0, 16)}`;
}

export function serverProcesses(cluster: ClusterIdentity): ServerProcess[] {
  return listProcesses(cluster.uid).flatMap(({ pid, title }) => {
    const isPostmaster = title.split(" ").includes(`cluster_name=${cluster.name}`);
    const isChild = title.startsWith(`postgres: ${cluster.name}: `);
    return isPostmaster || isChild ? [{ pid, isPostmaster }] : [];
  });
}

/** The arguments or title of a process of this user. Empty if it has ended or is another user's. */
export const titleOf = (pid: number, uid: number): string =>
  listProcesses(uid).find((process) => process.pid === pid)?.title ?? "";

const steps = {
  fast: [
    { signal: "SIGINT", patience: 20_000 },
    { signal: "SIGQUIT", patience: 8_000 },
    { signal: "SIGKILL", patience: 5_000 },
  ],
  immediate: [
    { signal: "SIGQUIT", patience: 8_000 },
    { signal: "SIGKILL", patience: 5_000 },
  ],
} as const;

/**
 * Stops every process of the cluster. A postmaster stops its own children. Children whose postmaster has ended get
 * SIGQUIT, because no client can use them.
 */
export async function stopServerProcesses(cluster: ClusterIdentity, mode: keyof typeof steps): Promise<void> {
  let running = serverProcesses(cluster);
  for (const { signal, patience } of steps[mode]) {
    const postmasters = running.filter((one) => one.isPostmaster);
    if (signal === "SIGKILL") sendSignal(signal, pidsOf(running));
    else if (postmasters.length > 0) sendSignal(signal, pidsOf(postmasters));
    else sendSignal("SIGQUIT", pidsOf(running));

    const deadline = Date.now() + patience;
    while ((running.length > 0 || someProcessEnds(cluster.uid)) && Date.now() < deadline) {
      await sleep(10);
      running = serverProcesses(cluster);
    }
    if (running.length === 0) return;
  }
  const pids = pidsOf(running).join(", ");
  throw new EmbeddedPostgresError(`These processes of Postgres do not end even when killed: ${pids}.`);
}

/**
 * Whether a process of this user is ending. It has no title any more, so it cannot be said of which cluster it is, but it
 * may still have the shared memory, with which Postgres does not start. Zombies have nothing any more.
 */
function someProcessEnds(uid: number): boolean {
  if (process.platform !== "linux") return false;
  return listProcesses(uid).some(({ pid, title }) => title === "" && !/^(?:[ZX]|)$/.test(stateOf(pid)));
}

/** The letter for the state of a process, on Linux. Empty if it has ended. */
function stateOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the name, which may contain anything.
    return stat.charAt(stat.lastIndexOf(")") + 2);
  } catch {
    return "";
  }
}

const pidsOf = (processes: ServerProcess[]) => processes.map(({ pid }) => pid);

/** Signals the processes that still exist. */
export function sendSignal(signal: NodeJS.Signals, pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended.
    }
  }
}

interface RunningProcess {
  pid: number;
  /** The arguments or the title, with spaces between them. */
  title: string;
}

/** The processes of a user. Linux shows them as files; other systems have a program for it. */
export const listProcesses = (uid: number): RunningProcess[] =>
  process.platform === "linux" ? readProcFiles(uid) : askPs(uid);

function readProcFiles(uid: number): RunningProcess[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        if (statSync(`/proc/${entry}`).uid !== uid) return [];
        const title = readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ");
        return [{ pid: Number(entry), title }];
      } catch {
        // It has ended.
        return [];
      }
    });
}

function askPs(uid: number): RunningProcess[] {
  const list = execFileSync("ps", ["-A", "-ww", "-o", "pid=,uid=,args="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
  });
  return list.split("\n").flatMap((line) => {
    const [, pid, owner, title = ""] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    return Number(owner) === uid ? [{ pid: Number(pid), title }] : [];
  });
}
