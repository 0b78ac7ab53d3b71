// Compares deliveries per second with a baseline, and counts SQL statements per delivery. The baseline is a loop of
// signed POSTs to the same receiver; where events come one by one, it is a loop of transactions that write the same rows.
// The worker, the receiver, the emitter and Postgres run as separate processes.
import { parseArgs } from "node:util";
import { z } from "zod";
import { median, percentile, printFigures } from "./measuring/measuring.ts";
import { allRecorded, commitBacklog } from "./webhooks/backlog.ts";
import { measureBaseline } from "./webhooks/baseline.ts";
import { type Child, startChild, workerEntry } from "./webhooks/child.ts";
import { emitterEntry } from "./webhooks/emit-request.ts";
import { type Installation, startInstallation } from "./webhooks/installation.ts";
import { measureLatency } from "./webhooks/latency.ts";
import { type ReceiverProcess, startReceiverProcess } from "./webhooks/receiver-messages.ts";
import { bareEnderEntry, insertRunningRuns, runEnderEntry } from "./webhooks/running-runs.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { events: { type: "string", default: "20000" } },
});
const count = Number(flags.events);
const endpointCounts = [1, 100, 1_000];
/** Concurrent transactions, and events in each. */
const bursts = { events: count, concurrency: 4, batchSize: 50 };
const oneByOne = { events: Math.ceil(count / 4), concurrency: 16 };
/** Every process does a tenth of its work as a warm-up. */
const warmUp = (many: number) => Math.ceil(many / 10);
const lowLoad = { count: 1_000, perSecond: 50, endpoints: 100 };

interface Setup {
  cleanup: AsyncDisposableStack;
  installation: Installation;
  receiver: ReceiverProcess;
  organizationIds: string[];
}

let emitted = 0;
const nextNumbers = (many: number) => {
  const first = emitted;
  emitted += many;
  return { first, numbers: Array.from({ length: many }, (_, index) => first + index) };
};

async function startWithCleanup({ cleanup, installation }: Setup, entry: URL): Promise<Child> {
  const child = await startChild(entry, installation.environment);
  cleanup.defer(child.kill);
  return child;
}

/** Measures a warmed-up worker from the commit of a backlog to the last recorded outcome. */
async function drain(setup: Setup) {
  const { receiver, organizationIds } = setup;
  const { deps } = setup.installation;
  const worker = await startWithCleanup(setup, workerEntry);
  const deliver = async (many: number) => {
    await receiver.take();
    await deps.db.pool.query("SELECT pg_stat_statements_reset()");
    const { first } = nextNumbers(many);
    const committing = await commitBacklog(deps, { organizationIds, count: many, first });
    const startedAt = performance.now();
    await receiver.arrived(many);
    const asking = await allRecorded(deps);
    return { seconds: (performance.now() - startedAt) / 1000, own: committing + asking };
  };
  await deliver(warmUp(count));
  await deps.db.pool.query("CHECKPOINT");
  const { seconds, own } = await deliver(count);
  const { rows } = await deps.db.pool.query<{ all: number }>(
    `SELECT sum(calls)::int AS "all" FROM pg_stat_statements`,
  );
  await worker.stop();
  return { rate: count / seconds, statements: ((rows[0]?.all ?? Number.NaN) - own) / count };
}

/** Emits as fast as possible while the worker delivers. */
async function live(setup: Setup, { events, ...pattern }: typeof bursts): Promise<number> {
  const { receiver, organizationIds } = setup;
  const { deps } = setup.installation;
  const worker = await startWithCleanup(setup, workerEntry);
  const emitter = await startWithCleanup(setup, emitterEntry);
  const deliver = async (many: number) => {
    await receiver.take();
    const startedAt = performance.now();
    emitter.send({ organizationIds, numbers: nextNumbers(many).numbers, ...pattern, report: false });
    await receiver.arrived(many);
    await allRecorded(deps);
    return (performance.now() - startedAt) / 1000;
  };
  await deliver(warmUp(events));
  const seconds = await deliver(events);
  await emitter.stop();
  await worker.stop();
  return events / seconds;
}

/** Ends runs as fast as possible while the worker delivers: one event in each transaction. */
async function single(setup: Setup): Promise<number> {
  const { receiver, organizationIds } = setup;
  const { deps } = setup.installation;
  const { events, concurrency } = oneByOne;
  const worker = await startWithCleanup(setup, workerEntry);
  const ender = await startWithCleanup(setup, runEnderEntry);
  const deliver = async (many: number) => {
    await receiver.take();
    const runs = await insertRunningRuns(deps, organizationIds, many);
    const startedAt = performance.now();
    ender.send({ runs, concurrency });
    await receiver.arrived(many);
    await allRecorded(deps);
    return (performance.now() - startedAt) / 1000;
  };
  await deliver(warmUp(events));
  const seconds = await deliver(events);
  await ender.stop();
  await worker.stop();
  return events / seconds;
}

/** Transactions a second of a bare loop that writes what the end of a run writes. No worker runs meanwhile. */
async function bareEnds(setup: Setup): Promise<number> {
  const { deps } = setup.installation;
  const { events, concurrency } = oneByOne;
  const ender = await startWithCleanup(setup, bareEnderEntry);
  const end = async (many: number) => {
    const runs = await insertRunningRuns(deps, setup.organizationIds, many);
    return z.number().parse(await ender.ask({ runs, concurrency }));
  };
  await end(warmUp(events));
  const rate = await end(events);
  await ender.kill();
  await deps.db.pool.query("UPDATE webhook_deliveries SET state = 'cancelled' WHERE state = 'pending'");
  await deps.db.pool.query("VACUUM ANALYZE webhook_deliveries");
  return rate;
}

async function lowLoadLatency(setup: Setup): Promise<number[]> {
  const { receiver, organizationIds } = setup;
  const worker = await startWithCleanup(setup, workerEntry);
  const emitter = await startWithCleanup(setup, emitterEntry);
  const measure = async (many: number) => {
    const { numbers } = nextNumbers(many);
    const pace = { concurrency: 1, batchSize: 1, perSecond: lowLoad.perSecond };
    return measureLatency({
      emitter,
      receiver,
      request: { organizationIds, numbers, ...pace, report: true },
    });
  };
  await measure(warmUp(lowLoad.count));
  const latencies = await measure(lowLoad.count);
  await emitter.stop();
  await worker.stop();
  return latencies;
}

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const receiver = await startReceiverProcess();
  cleanup.defer(receiver.kill);
  const baseline = (paths: number) =>
    measureBaseline({ url: receiver.url, paths, count, warmUp: warmUp(count), connections: 32 });
  const createSetup = async (endpoints: number): Promise<Setup> => {
    const urls = Array.from({ length: endpoints }, (_, index) => `${receiver.url}/${index}`);
    const added = await installation.addEndpoints(urls);
    return {
      cleanup,
      installation,
      receiver,
      organizationIds: added.map(({ organizationId }) => organizationId),
    };
  };

  await baseline(1);
  const ratios: number[] = [];
  const liveRatios: number[] = [];
  const singleRatios: number[] = [];
  const statements: number[] = [];
  for (const endpoints of endpointCounts) {
    const setup = await createSetup(endpoints);
    // The baseline runs before and after, so that other load on the machine affects both alike.
    const before = await baseline(endpoints);
    const drained = await drain(setup);
    const between = await baseline(endpoints);
    const liveRate = await live(setup, bursts);
    const after = await baseline(endpoints);
    const bareBefore = await bareEnds(setup);
    const singleRate = await single(setup);
    const bareAfter = await bareEnds(setup);
    ratios.push(drained.rate / ((before + between) / 2));
    liveRatios.push(liveRate / ((between + after) / 2));
    singleRatios.push(singleRate / ((bareBefore + bareAfter) / 2));
    statements.push(drained.statements);
    console.log(
      `${endpoints} endpoints, per second: baseline ${[before, between, after].map(Math.round).join(", ")}; drained ${Math.round(drained.rate)}; live ${Math.round(liveRate)}; by runs that end ${Math.round(singleRate)}, bare transactions ${[bareBefore, bareAfter].map(Math.round).join(", ")}; statements per delivery ${drained.statements.toFixed(3)}`,
    );
  }
  const latencies = await lowLoadLatency(await createSetup(lowLoad.endpoints));
  printFigures("deliveries", {
    ratio: Math.min(...ratios).toFixed(2),
    live: Math.min(...liveRatios).toFixed(2),
    single: Math.min(...singleRatios).toFixed(2),
    statements: Math.max(...statements).toFixed(3),
    p50_ms: median(latencies).toFixed(1),
    p99_ms: percentile(latencies, 99).toFixed(1),
  });
});
