import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { CpuBudget } from "./cpu-budget.ts";

const checkEveryMs = 100;
// Beside a process without it, about a thirtieth of a core that both want.
const spentNiceness = 15;
// The unit in which Linux tells processor time, on every machine.
const tickMs = 10;

/**
 * Puts a host that computes for long behind all other processes: whatever statements compute, the api, the
 * worker and short statements go on, and on a machine that is not busy it costs nothing.
 */
export class CpuPriority {
  readonly #pid: () => number;
  readonly #budget = new CpuBudget();

  constructor(pid: () => number) {
    this.#pid = pid;
  }

  /** Watches from now on, while a task is performed. */
  watch(): { stop(): void } {
    this.#check();
    const timer = setInterval(() => this.#check(), checkEveryMs);
    return { stop: () => clearInterval(timer) };
  }

  #check(): void {
    const usedMs = processorTimeMs(this.#pid());
    if (usedMs === undefined) return;
    const wasSpent = this.#budget.isSpent;
    this.#budget.count(usedMs, performance.now());
    if (this.#budget.isSpent !== wasSpent) setNiceness(this.#pid(), wasSpent ? 0 : spentNiceness);
  }
}

/** Of a process with all its threads, from outside it; undefined where the system (any but Linux) does not say. */
function processorTimeMs(pid: number): number | undefined {
  try {
    // The name, in parentheses, can hold anything; the times are fields 14 and 15, and what follows it begins with 3.
    const [, rest = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const [user = "", system = ""] = rest.split(" ").slice(11);
    return (Number(user) + Number(system)) * tickMs;
  } catch {
    return undefined;
  }
}

/**
 * Of every thread, since on Linux each has its own; and of the session, which a host is by itself: where Linux shares
 * its cores between sessions (autogroup), it compares threads within one only.
 */
function setNiceness(pid: number, niceness: number): void {
  for (const thread of attempt(() => readdirSync(`/proc/${pid}/task`)) ?? []) {
    attempt(() => setPriority(Number(thread), niceness));
  }
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)));
}

/**
 * The host may have ended; the system may have no sessions to share between, or let only root give a thread back the
 * priority that it had. Then it keeps the one it has, and is replaced some day.
 */
function attempt<Value>(change: () => Value): Value | undefined {
  try {
    return change();
  } catch {
    return undefined;
  }
}
