// How much hanging endpoints delay deliveries to healthy ones: from commit to arrival, with and without them, in turns.
import { parseArgs } from "node:util";
import { median, percentile, printFigures } from "./measuring/measuring.ts";
import { commitBacklog } from "./webhooks/backlog.ts";
import { startChild, workerEntry } from "./webhooks/child.ts";
import { emitterEntry } from "./webhooks/emit-request.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { measureLatency } from "./webhooks/latency.ts";
import { startReceiverProcess } from "./webhooks/receiver-messages.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { events: { type: "string", default: "2000" }, turns: { type: "string", default: "5" } },
});
const turns = Number(flags.turns);
const healthy = { endpoints: 200, events: Number(flags.events), perSecond: 100 };
const hanging = { endpoints: 200, eventsEach: 50 };

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const receiver = await startReceiverProcess();
  cleanup.defer(receiver.kill);
  const add = async (path: string, many: number) => {
    const urls = Array.from({ length: many }, (_, index) => `${receiver.url}/${path}/${index}`);
    return (await installation.addEndpoints(urls)).map(({ organizationId }) => organizationId);
  };
  const organizationIds = await add("healthy", healthy.endpoints);
  const hangingIds = await add("hang", hanging.endpoints);

  let emitted = 0;
  /** The 99th percentile of the healthy endpoints, with a worker that has already sent to each of them. */
  const measure = async (beforehand: () => Promise<unknown>): Promise<number> => {
    const worker = await startChild(workerEntry, installation.environment);
    cleanup.defer(worker.kill);
    const emitter = await startChild(emitterEntry, installation.environment);
    cleanup.defer(emitter.kill);
    const paced = (many: number) => {
      const numbers = Array.from({ length: many }, (_, index) => emitted + index);
      emitted += many;
      return {
        organizationIds,
        numbers,
        concurrency: 4,
        batchSize: 1,
        perSecond: healthy.perSecond,
        report: true,
      };
    };
    await measureLatency({ emitter, receiver, request: paced(healthy.endpoints) });
    await beforehand();
    const latencies = await measureLatency({ emitter, receiver, request: paced(healthy.events) });
    await emitter.stop();
    // Stopped gracefully, because the next worker would have to wait for the leases of a killed one.
    await worker.stop();
    console.log(
      `healthy ones: p50 ${percentile(latencies, 50).toFixed(1)} ms, p99 ${percentile(latencies, 99).toFixed(1)} ms`,
    );
    return percentile(latencies, 99);
  };

  const ratios: number[] = [];
  const p99s: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const without = await measure(async () => {});
    const count = hanging.endpoints * hanging.eventsEach;
    const first = turn * count;
    // The numbers of both groups of organizations overlap, and each cause emits once for an organization.
    const beside = await measure(() =>
      commitBacklog(installation.deps, { organizationIds: hangingIds, first, count }),
    );
    ratios.push(beside / without);
    p99s.push(beside);
    console.log(`turn ${turn + 1}: ratio ${(beside / without).toFixed(2)}`);
    await installation.deps.db.pool.query(
      `UPDATE webhook_deliveries SET state = 'cancelled' WHERE state = 'pending' AND endpoint_id IN
         (SELECT id FROM webhook_endpoints WHERE organization_id = ANY($1::uuid[]))`,
      [hangingIds],
    );
  }
  printFigures("isolation", { ratio: median(ratios).toFixed(2), p99_ms: median(p99s).toFixed(1) });
});
