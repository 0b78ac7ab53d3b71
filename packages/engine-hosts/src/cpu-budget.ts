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
