import { readdirSync, readFileSync } from "node:fs";

/**
 * The process that is the host itself, where others stand between it and us: the last of the line that
 * begins with the one we started. A host cannot have children.
 */
export function findHostPid(started: number): number {
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

function parentOf(pid: number): number | undefined {
  try {
    // The name, in parentheses, can hold anything; what follows it is state and parent.
    const [, state, parent] = /^.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return state === "Z" ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
