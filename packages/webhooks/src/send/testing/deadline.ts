import { vi } from "vitest";

/** Holds the sender's deadline until the test lets it pass; sockets and servers keep real time. */
export function holdDeadline() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  return {
    pass: (milliseconds = 10_000) => {
      vi.advanceTimersByTime(milliseconds);
    },
    [Symbol.dispose]: () => {
      vi.useRealTimers();
    },
  };
}
