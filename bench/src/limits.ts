// pnpm bench limits: what it costs an api that two of them count calls together. Its CPU time for each call, until the
// database has all of them: `busy`, 100 callers who call all the time; `new`, callers who call once.
import { setTimeout } from "node:timers/promises";
import { createRateLimiter, createSubscriptionCounts } from "@querybell/core/limits";
import { median, monotonicMs, printFigures } from "./measuring/measuring.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const calls = 100_000;

await withCleanup(async (cleanup) => {
  const { deps, dispose } = await startInstallation({ onError: console.error });
  cleanup.defer(dispose);
  const onError = (error: unknown) => {
    throw error;
  };

  /** Milliseconds for a call, and statements for a thousand. */
  async function measure(name: string, subjectOf: (call: number) => string) {
    const options = { deps, name, perMinute: 6_000_000, onError };
    const limiters = [createRateLimiter(options), createRateLimiter(options)];
    let statements = 0;
    const { query } = deps.db.pool;
    deps.db.pool.query = ((...args: Parameters<typeof query>) => {
      statements++;
      return Reflect.apply(query, deps.db.pool, args);
    }) as typeof query;
    const used = process.cpuUsage();
    for (let call = 0; call < calls; call++) {
      limiters[call % 2]?.take(subjectOf(call));
      // At most 10,000 calls a second, more than an api answers.
      if (call % 1_000 === 0) await setTimeout(100);
    }
    await Promise.all(limiters.map((limiter) => limiter.close()));
    const { user, system } = process.cpuUsage(used);
    deps.db.pool.query = query;
    return { ms: (user + system) / 1_000 / calls, statements: (statements / calls) * 1_000 };
  }

  const busy = await measure("busy", (call) => `caller ${call % 100}`);
  const fresh = await measure("new", (call) => `caller ${call}`);

  const counts = createSubscriptionCounts({ deps, onError });
  const opened: number[] = [];
  for (let at = 0; at < 500; at++) {
    const startedAt = monotonicMs();
    await counts.open(`person ${at % 50}`, 50);
    opened.push(monotonicMs() - startedAt);
  }
  await counts.stop();
  printFigures("limits", {
    busy_ms: busy.ms.toFixed(4),
    busy_statements: busy.statements.toFixed(2),
    new_ms: fresh.ms.toFixed(4),
    new_statements: fresh.statements.toFixed(2),
    subscription_ms: median(opened).toFixed(2),
  });
});
