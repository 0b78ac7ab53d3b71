const tickEveryMs = 50;

/**
 * Reports, twenty times a second, by how many seconds the event loop was late: for so long this process answered
 * nobody, renewed no lease and delivered nothing. Code that computes for long belongs into an engine host.
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

/** For the metric of both processes, which has one name and one meaning. */
export const eventLoopDelayMetric = {
  name: "querybell_event_loop_delay_seconds",
  help: "By how long the event loop was late, measured 20 times a second",
  buckets: [0.01, 0.05, 0.1, 0.2, 0.5, 1, 5, 20],
};
