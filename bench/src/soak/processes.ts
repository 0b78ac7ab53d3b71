import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process by its id and the time of its start: an id alone may be given to another process later. */
export interface KnownProcess {
  pid: number;
  startedAt: string;
}

interface Stat extends KnownProcess {
  parent: number;
  isZombie: boolean;
}

function readStat(pid: number): Stat | undefined {
  try {
    const [, afterName = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const values = afterName.split(" ");
    return { pid, isZombie: values[0] === "Z", parent: Number(values[1]), startedAt: values[19] ?? "" };
  } catch {
    return undefined;
  }
}

/** The children of a process, their children and so on. */
export function descendantsOf(pid: number): KnownProcess[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? []);
  const found: Stat[] = [];
  let parents = new Set([pid]);
  while (parents.size > 0) {
    const children = all.filter(({ parent }) => parents.has(parent));
    found.push(...children);
    parents = new Set(children.map((child) => child.pid));
  }
  return found;
}

/** The ones without children: with a sandbox around it, an engine host is the innermost process. */
export function innermostOf(pid: number): KnownProcess[] {
  const all = descendantsOf(pid);
  return all.filter((one) => descendantsOf(one.pid).length === 0);
}

export function isAlive({ pid, startedAt }: KnownProcess): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startedAt === startedAt && !stat.isZombie;
}

/** Undefined if the process has ended. */
export function readUsage(pid: number): { rssBytes: number; files: number } | undefined {
  try {
    const [, rssKilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return { rssBytes: Number(rssKilobytes) * 1024, files: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}

/** What the open files of a process are, for the message about a leak. */
export function countFiles(pid: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${name}`).replace(/\[?\d+\]?$/, "");
      counts[target] = (counts[target] ?? 0) + 1;
    } catch {
      // Closed meanwhile.
    }
  }
  return counts;
}
