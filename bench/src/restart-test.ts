// pnpm bench restart-test: every process is restarted in turn under a steady load, as an upgrade does. Two apis behind a
// proxy, two workers. Fails if an event was lost, an answer was wrong, or a call failed.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { findLosses } from "./availability/losses.ts";
import { describeGaps, report } from "./availability/report.ts";
import { startWorld } from "./availability/world.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: "string", default: "2" } },
});
/** Longer than the proxy needs to notice: it asks every second. */
const shutdownDelayMs = 4_000;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: () => {} });
  cleanup.defer(installation.dispose);
  const { receiver, fleet, load, log } = await startWorld(cleanup, {
    installation,
    databaseUrl: installation.settings.DATABASE_URL,
    environment: { SHUTDOWN_DELAY_MS: String(shutdownDelayMs) },
  });
  await delay(5_000);
  for (let round = 1; round <= Number(flags.rounds); round++) {
    const startedAt = performance.now();
    await fleet.restart();
    console.log(`Round ${round}: longest gap: ${describeGaps(load.seen, startedAt, performance.now())}`);
  }
  await load.stop();
  const line = report(await findLosses(installation.deps, load.seen, receiver.arrivals), load.seen, log);
  if (load.seen.errors.size > 0) process.exitCode = 1;
  console.log(`restart-test rounds=${flags.rounds} ${line}`);
});
