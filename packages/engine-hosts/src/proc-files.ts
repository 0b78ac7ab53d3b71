import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";

/**
 * The process id of the host itself. The isolation method may start it through other programs; the host is the last
 * descendant of the process that was started, because it cannot have children.
 */
export function findHostPid(started: number): number {
  // Other systems have no isolation methods, so the process that was started is the host.
  if (process.platform !== "linux") return started;
  const childOf = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? parentOf(pid) : undefined;
    if (parent !== undefined) childOf.set(parent, pid);
  }
  let last = started;
  for (let next = childOf.get(last); next !== undefined; next = childOf.get(last)) last = next;
  return last;
}

/**
 * The folder in /proc that shows the memory and the descriptors of a process. The first thread, which usually has them,
 * can end before the others.
 */
export function findProcessFolder(pid: number): string {
  const folder = `/proc/${pid}`;
  const hasMemory = (path: string) => !readFileSync(`${path}/statm`, "utf8").startsWith("0 ");
  try {
    if (hasMemory(folder)) return folder;
    const threads = readdirSync(`${folder}/task`).map((thread) => `${folder}/task/${thread}`);
    return threads.find(hasMemory) ?? folder;
  } catch {
    return folder;
  }
}

/** The parent of a running process; undefined if it has ended. */
export function parentOf(pid: number): number | undefined {
  try {
    // The name, in parentheses, can contain anything. State and parent follow it.
    const [, state, parent] = /^.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return state === undefined || state === "Z" ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

/** What the descriptors of a process lead to, given its folder in /proc. None if it has ended. */
export function statDescriptors(processFolder: string): Stats[] {
  const folder = `${processFolder}/fd`;
  const names = undefinedIfMissing(() => readdirSync(folder)) ?? [];
  return names.flatMap((name) => undefinedIfMissing(() => statSync(`${folder}/${name}`)) ?? []);
}

/** Undefined for a file or process that is gone: a host deletes and closes files while they are read, and can end. */
export function undefinedIfMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return undefined;
    throw error;
  }
}
