// Deliveries a second beside a bare loop of signed POSTs to the same sink, and what they cost the database.
// The worker, the sink, the emitter and Postgres are processes of their own, as they are in production.
import { parseArgs } from "node:util";
import { allRecorded, commitBacklog } from "./webhooks/backlog.ts";
import { type Child, startChild, workerEntry } from "./webhooks/child.ts";
import { emitterEntry } from "./webhooks/emission-order.ts";
import { type Installation, startInstallation } from "./webhooks/installation.ts";
import { measureLatency } from "./webhooks/latency.ts";
import { percentile } from "./webhooks/percentile.ts";
import { measureRawLoop } from "./webhooks/raw-loop.ts";
import { type SinkProcess, startSinkProcess } from "./webhooks/sink-questions.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { events: { type: "string", default: "20000" } },
});
const count = Number(flags.events);
const endpointCounts = [1, 100, 1_000];
/** Transactions at once, and events in each. */
const bursts = { events: count, lanes: 4, together: 50 };
const oneByOne = { events: Math.ceil(count / 4), lanes: 16, together: 1 };
/** Every process does a tenth of its work before it is measured. */
const warmUp = (many: number) => Math.ceil(many / 10);
const lowLoad = { count: 1_000, perSecond: 50, endpoints: 100 };

interface Scene {
  stage: AsyncDisposableStack;
  installation: Installation;
  sink: SinkProcess;
  organizationIds: string[];
}

let emitted = 0;
const nextNumbers = (many: number) => {
  const first = emitted;
  emitted += many;
  return { first, numbers: Array.from({ length: many }, (_, index) => first + index) };
};

async function startOnStage({ stage, installation }: Scene, entry: URL): Promise<Child> {
  const child = await startChild(entry, installation.environment);
  stage.defer(child.kill);
  return child;
}

/** From the commit of a backlog, on a worker that has sent before, to the last outcome written down. */
async function drain(scene: Scene) {
  const { sink, organizationIds } = scene;
  const { deps } = scene.installation;
  const worker = await startOnStage(scene, workerEntry);
  const deliver = async (many: number) => {
    await sink.take();
    await deps.db.pool.query("SELECT pg_stat_statements_reset()");
    const { first } = nextNumbers(many);
    const committing = await commitBacklog(deps, { organizationIds, count: many, first });
    const startedAt = performance.now();
    await sink.arrived(many);
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

/** Emits as fast as it goes while the worker delivers. */
async function live(scene: Scene, { events, ...pattern }: typeof bursts): Promise<number> {
  const { sink, organizationIds } = scene;
  const { deps } = scene.installation;
  const worker = await startOnStage(scene, workerEntry);
  const emitter = await startOnStage(scene, emitterEntry);
  const deliver = async (many: number) => {
    await sink.take();
    const startedAt = performance.now();
    emitter.tell({ organizationIds, numbers: nextNumbers(many).numbers, ...pattern, report: false });
    await sink.arrived(many);
    await allRecorded(deps);
    return (performance.now() - startedAt) / 1000;
  };
  await deliver(warmUp(events));
  const seconds = await deliver(events);
  await emitter.stop();
  await worker.stop();
  return events / seconds;
}

async function lowLoadLatency(scene: Scene): Promise<number[]> {
  const { sink, organizationIds } = scene;
  const worker = await startOnStage(scene, workerEntry);
  const emitter = await startOnStage(scene, emitterEntry);
  const measure = async (many: number) => {
    const { numbers } = nextNumbers(many);
    const pace = { lanes: 1, together: 1, perSecond: lowLoad.perSecond };
    return measureLatency({ emitter, sink, order: { organizationIds, numbers, ...pace, report: true } });
  };
  await measure(warmUp(lowLoad.count));
  const latencies = await measure(lowLoad.count);
  await emitter.stop();
  await worker.stop();
  return latencies;
}

await withCleanup(async (stage) => {
  const installation = await startInstallation({ onError: console.error });
  stage.defer(installation.dispose);
  await installation.deps.db.pool.query("CREATE EXTENSION pg_stat_statements");
  const sink = await startSinkProcess();
  stage.defer(sink.kill);
  const raw = (paths: number) =>
    measureRawLoop({ url: sink.url, paths, count, warmUp: warmUp(count), connections: 32 });
  const sceneOf = async (endpoints: number): Promise<Scene> => {
    const urls = Array.from({ length: endpoints }, (_, index) => `${sink.url}/${index}`);
    const added = await installation.addEndpoints(urls);
    return { stage, installation, sink, organizationIds: added.map(({ organizationId }) => organizationId) };
  };

  await raw(1);
  const ratios: number[] = [];
  const lives: number[] = [];
  const statements: number[] = [];
  for (const endpoints of endpointCounts) {
    const scene = await sceneOf(endpoints);
    // The loop runs before and after, so that a change in what else the machine does falls on both.
    const before = await raw(endpoints);
    const drained = await drain(scene);
    const between = await raw(endpoints);
    const lived = await live(scene, bursts);
    const after = await raw(endpoints);
    const livedOneByOne = await live(scene, oneByOne);
    ratios.push(drained.rate / ((before + between) / 2));
    lives.push(lived / ((between + after) / 2));
    statements.push(drained.statements);
    console.log(
      `${endpoints} endpoints, a second: raw ${[before, between, after].map(Math.round).join(", ")}; drained ${Math.round(drained.rate)}; live ${Math.round(lived)}, with one event to a transaction ${Math.round(livedOneByOne)}; statements per delivery ${drained.statements.toFixed(3)}`,
    );
  }
  const latencies = await lowLoadLatency(await sceneOf(lowLoad.endpoints));
  console.log(
    `deliveries ratio=${Math.min(...ratios).toFixed(2)} live=${Math.min(...lives).toFixed(2)} statements=${Math.max(...statements).toFixed(3)} p50_ms=${percentile(latencies, 50).toFixed(1)} p99_ms=${percentile(latencies, 99).toFixed(1)}`,
  );
});
