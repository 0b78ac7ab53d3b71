/** A timer whose wait can be ended early. */
export interface WakeableTimer {
  /** Resolves after `milliseconds`, or when woken. If it was woken since the last wait, it resolves at once. */
  wait(milliseconds: number): Promise<void>;
  wake(): void;
}

export function createWakeableTimer(): WakeableTimer {
  let isWoken = false;
  let endWait: (() => void) | undefined;
  return {
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(end, isWoken ? 0 : milliseconds);
        function end(): void {
          clearTimeout(timer);
          endWait = undefined;
          isWoken = false;
          resolve();
        }
        endWait = end;
      }),
    wake() {
      isWoken = true;
      endWait?.();
    },
  };
}
