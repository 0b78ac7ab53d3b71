import { expect, test } from "vitest";
import { watchEventLoop } from "./process-metrics.ts";

test("the delay of a blocked event loop is reported", async () => {
  const delays: number[] = [];
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const watch = watchEventLoop((seconds) => {
    delays.push(seconds);
    first.resolve();
    if (seconds > 0.2) second.resolve();
  });
  // The timer does not keep a process alive, so something else has to.
  const keptAlive = setInterval(() => {}, 1000);
  await first.promise;
  const until = performance.now() + 300;
  while (performance.now() < until);
  await second.promise;
  watch.stop();
  clearInterval(keptAlive);
  expect(Math.max(...delays)).toBeGreaterThanOrEqual(0.25);
});
