/**
 * Limits how often something starts. Unused tokens are kept for a tenth of a second at most, so no second has many
 * more starts than the limit allows.
 */
export class TokenBucket {
  #tokens = 1;
  #refilledAt: number;

  constructor(now: Date) {
    this.#refilledAt = now.getTime();
  }

  /** Milliseconds until there is a token; 0 if there is one now. */
  msUntilToken(perSecond: number, now: Date): number {
    const elapsedMs = Math.max(0, now.getTime() - this.#refilledAt);
    const maxTokens = Math.max(1, perSecond / 10);
    this.#tokens = Math.min(maxTokens, this.#tokens + (elapsedMs * perSecond) / 1000);
    this.#refilledAt = now.getTime();
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * 1000) / perSecond);
  }

  takeToken(): void {
    this.#tokens -= 1;
  }
}
