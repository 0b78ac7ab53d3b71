import { createTurnBudget } from "../turn-budget.ts";

interface Expirable {
  expire(): void;
}

/** Ends attempts whose deadline has passed, a few in each turn of the event loop. */
export interface Expirations {
  add(attempt: Expirable): void;
}

/**
 * Ending an attempt closes a connection, and often the next attempt opens another: about half a millisecond. Attempts
 * that start together expire together, and hundreds in one turn would delay the deliveries of all other endpoints.
 */
const maxPerTurn = 2;

export function createExpirations(): Expirations {
  const waiting = new Set<Expirable>();
  const budget = createTurnBudget(maxPerTurn, expireSome);

  function expireSome(): void {
    for (const attempt of waiting) {
      if (!budget.take()) return;
      waiting.delete(attempt);
      attempt.expire();
    }
  }

  return {
    add(attempt) {
      waiting.add(attempt);
      expireSome();
    },
  };
}
