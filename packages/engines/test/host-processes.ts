import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";

/** The engine hosts that a process has started, as the system sees them. */
export function hostPids(parent: number = process.pid): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent && read(`/proc/${pid}/cmdline`).includes("host-process.ts"));
}

export const isAlive = (pid: number): boolean => parentOf(pid) !== undefined;

export const environmentOf = (pid: number): string[] =>
  read(`/proc/${pid}/environ`).split("\0").filter(Boolean);

/** The niceness of every thread, and of the session where the system shares its cores between sessions. */
export function nicenessOf(pid: number): number[] {
  const [, session] = /nice (-?\d+)/.exec(read(`/proc/${pid}/autogroup`)) ?? [];
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)));
  return session === undefined ? threads : [Number(session), ...threads];
}

function parentOf(pid: number): number | undefined {
  // The name, in parentheses, can hold anything; what follows it is state and parent.
  const [, state, parent] = /^.*\) (\S) (\d+)/s.exec(read(`/proc/${pid}/stat`)) ?? [];
  return state === undefined || state === "Z" ? undefined : Number(parent);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
