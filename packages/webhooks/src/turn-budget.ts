/** Limits how much happens in one turn of the event loop, so that the rest of the process goes on in between. */
interface TurnBudget {
  /** Whether one more may happen in this turn. If not, `onNextTurn` is called in the next one. */
  take(): boolean;
  /** Whether `onNextTurn` is going to be called. */
  readonly isExceeded: boolean;
}

export function createTurnBudget(maxPerTurn: number, onNextTurn: () => void): TurnBudget {
  let taken = 0;
  let isExceeded = false;

  function startNextTurn(): void {
    const mustContinue = isExceeded;
    taken = 0;
    isExceeded = false;
    if (mustContinue) onNextTurn();
  }

  return {
    take() {
      if (taken === maxPerTurn) {
        isExceeded = true;
        return false;
      }
      if (taken === 0) setImmediate(startNextTurn);
      taken += 1;
      return true;
    },
    get isExceeded() {
      return isExceeded;
    },
  };
}
