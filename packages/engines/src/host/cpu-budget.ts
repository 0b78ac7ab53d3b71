const fullMs = 1_000;
const enoughMs = 500;
// A tenth of a core.
const refillShare = 0.1;

/**
 * How much processor time a host may use before it is put behind others: a second at once, and a tenth of a core for
 * as long as it likes. Short statements never use that up.
 */
export class CpuBudget {
  #leftMs = fullMs;
  #usedMs = 0;
  #at: number | undefined;
  #isSpent = false;

  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Takes what the host has used since it was started; `now` is in milliseconds, too. */
  count(usedMs: number, now: number): void {
    // What it took to start is nobody's statement.
    const [used, passed] = this.#at === undefined ? [0, 0] : [usedMs - this.#usedMs, now - this.#at];
    this.#leftMs = Math.min(fullMs, this.#leftMs + passed * refillShare - used);
    this.#usedMs = usedMs;
    this.#at = now;
    // Not at zero, where it would change from one moment to the next.
    this.#isSpent = this.#leftMs < (this.#isSpent ? enoughMs : 0);
  }
}
