import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

const checkEveryMs = 100;
// Beside a process of normal priority, this gives about a thirtieth of a contended core.
const spentNiceness = 15;
// /proc reports CPU time in units of 10 ms on every Linux.
const tickMs = 10;

/**
 * Lowers the CPU priority of a host that computes for long, so that the api, the worker and short statements keep
 * their share. On an idle machine this costs nothing.
 */
export class CpuPriority {
  readonly #pid: () => number;
  readonly #budget = new CpuBudget();

  constructor(pid: () => number) {
    this.#pid = pid;
  }

  /** Watches until `stop`. Hostile code in a host can compute without a task, too. */
  watch(): { stop(): void } {
    const timer = setInterval(() => this.#check(), checkEveryMs).unref();
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

/** The CPU time of a process with all its threads; undefined on systems other than Linux. */
function processorTimeMs(pid: number): number | undefined {
  try {
    // The process name, in parentheses, can contain anything. Field 3 follows it; the times are fields 14 and
    // 15.
    const [, rest = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const [user = "", system = ""] = rest.split(" ").slice(11);
    return (Number(user) + Number(system)) * tickMs;
  } catch {
    return undefined;
  }
}

/**
 * Sets the niceness of every thread, because on Linux each has its own, and of the session: with autogroup, Linux
 * shares cores between sessions first and compares threads only within one. Each host is a separate session.
 */
function setNiceness(pid: number, niceness: number): void {
  for (const thread of ignoreErrors(() => readdirSync(`/proc/${pid}/task`)) ?? []) {
    ignoreErrors(() => setPriority(Number(thread), niceness));
  }
  ignoreErrors(() => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)));
}

/**
 * Ignores failures: the host may have ended, the system may have no autogroup, or only root may raise a priority
 * again. The host then keeps the priority it has.
 */
function ignoreErrors<Value>(change: () => Value): Value | undefined {
  try {
    return change();
  } catch {
    return undefined;
  }
}

const fullMs = 250;
const resumeMs = 125;
// CPU milliseconds per millisecond: a tenth of a core.
const refillRate = 0.1;

/**
 * A token bucket of CPU time. A host that has spent it gets a lower priority: it may use a quarter of a second at once, and a
 * tenth of a core continuously. Short statements never spend it.
 */
export class CpuBudget {
  #leftMs = fullMs;
  #usedMs = 0;
  #at: number | undefined;
  #isSpent = false;

  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** `usedMs` is the CPU time since the host started; `now` is in milliseconds. */
  count(usedMs: number, now: number): void {
    // The start of the process is not counted.
    const [used, passed] = this.#at === undefined ? [0, 0] : [usedMs - this.#usedMs, now - this.#at];
    this.#leftMs = Math.min(fullMs, this.#leftMs + passed * refillRate - used);
    this.#usedMs = usedMs;
    this.#at = now;
    // With hysteresis, so that the priority does not change at every check.
    this.#isSpent = this.#leftMs < (this.#isSpent ? resumeMs : 0);
  }
}
