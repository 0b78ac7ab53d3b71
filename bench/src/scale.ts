// pnpm bench scale: deliveries a second with 1, 2 and 4 worker processes to receivers that answer after 50 ms, and runs
// a second of a query that takes 50 ms. Waiting costs no processor time, so more workers help until the cores are busy;
// the last lines say what a delivery costs, and what a fleet of 50 workers would reach with these costs.
import { parseArgs } from "node:util";
import { printFigures } from "./measuring/measuring.ts";
import { measureDeliveries } from "./scale/deliveries.ts";
import { simulateFleet } from "./scale/fleet.ts";
import { measureRuns } from "./scale/runs.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { startReceiverProcess } from "./webhooks/receiver-messages.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { events: { type: "string", default: "20000" }, runs: { type: "string", default: "600" } },
});
const workerCounts = [1, 2, 4];

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const receiver = await startReceiverProcess();
  cleanup.defer(receiver.kill);
  const figures: Record<string, string> = {};

  const deliveries = await measureDeliveries({
    installation,
    receiver,
    cleanup,
    workerCounts,
    events: Number(flags.events),
  });
  for (const { workers, perSecond, shares, cpuMs, databaseMs } of deliveries) {
    console.log(
      `${workers} workers: ${perSecond.toFixed(0)} deliveries a second; each worker's share ${shares.map((share) => share.toFixed(2)).join(", ")}; a delivery costs ${cpuMs.toFixed(3)} ms of the worker's processor and ${databaseMs.toFixed(3)} ms in the database`,
    );
    figures[`deliveries_${workers}`] = perSecond.toFixed(0);
  }

  for (const { workers, perSecond } of await measureRuns({
    installation,
    cleanup,
    workerCounts,
    runs: Number(flags.runs),
  })) {
    console.log(`${workers} workers: ${perSecond.toFixed(1)} runs a second`);
    figures[`runs_${workers}`] = perSecond.toFixed(1);
  }

  // The costs of one worker alone: with more of them than cores, waiting for a core would count as cost.
  const [alone] = deliveries;
  if (alone) {
    for (const [traffic, skew] of [
      ["even", 0],
      ["skewed", 1],
    ] as const) {
      for (const fleet of simulateFleet(alone, skew)) {
        const wait = fleet.longestWaitAfterKillS?.toFixed(1);
        const afterKill =
          wait === undefined
            ? "if it is killed, nothing is sent until a worker starts"
            : `longest wait after the kill of a worker ${wait} s`;
        console.log(
          `simulated, ${traffic} traffic to 10,000 endpoints, ${fleet.workers} workers: ${fleet.perSecond.toFixed(0)} deliveries a second; busy: the busiest worker ${(100 * fleet.workerBusy).toFixed(0)} %, the database ${(100 * fleet.databaseBusy).toFixed(0)} %; ${afterKill}`,
        );
      }
    }
  }
  printFigures("scale", figures);
});
