const tickEveryMs = 50;

/**
 * Measures 20 times a second by how many seconds the event loop is late. During that time the process answers no
 * request and renews no lease. Long computations belong in an engine host.
 */
export function watchEventLoop(report: (delaySeconds: number) => void): { stop(): void } {
  let expectedAt = performance.now() + tickEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    report(Math.max(0, now - expectedAt) / 1000);
    expectedAt = now + tickEveryMs;
  }, tickEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}

/** The metric that the API and the worker share. */
export const eventLoopDelayMetric = {
  name: "querybell_event_loop_delay_seconds",
  help: "By how long the event loop was late, measured 20 times a second",
  buckets: [0.01, 0.05, 0.1, 0.2, 0.5, 1, 5, 20],
};
