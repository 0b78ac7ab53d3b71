/** A wait that something can end early. */
export interface Alarm {
  /** Waits for so many milliseconds, or until it is rung. A ring before the wait ends it at once. */
  wait(milliseconds: number): Promise<void>;
  ring(): void;
}

export function createAlarm(): Alarm {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(end, rung ? 0 : milliseconds);
        function end(): void {
          clearTimeout(timer);
          wake = undefined;
          rung = false;
          resolve();
        }
        wake = end;
      }),
    ring() {
      rung = true;
      wake?.();
    },
  };
}
