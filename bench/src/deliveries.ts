// Deliveries a second beside a bare loop of signed POSTs to the same sink, and what they cost the database.
// The worker, the sink, the emitter and Postgres are processes of their own, as they are in production.
import { parseArgs } from "node:util";
import { allRecorded, commitBacklog } from "./webhooks/backlog.ts";
import { startChild, workerEntry } from "./webhooks/child.ts";
import { wallTime } from "./webhooks/clock-time.ts";
import { emitterEntry } from "./webhooks/emission-order.ts";
import { type Installation, startInstallation } from "./webhooks/installation.ts";
import { measureLatency } from "./webhooks/latency.ts";
import { onStage } from "./webhooks/on-stage.ts";
import { percentile } from "./webhooks/percentile.ts";
import { measureRawLoop } from "./webhooks/raw-loop.ts";
import { type SinkProcess, startSinkProcess } from "./webhooks/sink-questions.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { events: { type: "string", default: "20000" } },
});
const count = Number(flags.events);
const endpointCounts = [1, 100, 1_000];
/** Transactions at once, and events in each. */
const bursts = { events: count, lanes: 4, together: 20 };
const oneByOne = { events: count / 4, lanes: 16, together: 1 };
const lowLoad = { count: 1_000, perSecond: 50, endpoints: 100 };

interface Scene {
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

/** From the birth of the pump to the last outcome written down. */
async function drain({ installation, sink, organizationIds }: Scene) {
  const { deps, environment } = installation;
  await commitBacklog(deps, { organizationIds, count, first: nextNumbers(count).first });
  await deps.db.pool.query("CHECKPOINT");
  await sink.take();
  await deps.db.pool.query("SELECT pg_stat_statements_reset()");
  const worker = await startChild(workerEntry, environment);
  await sink.arrived(count);
  const asked = await allRecorded(deps);
  const endedAt = wallTime();
  const { rows } = await deps.db.pool.query<{ bornAt: number; statements: number }>(`
    SELECT (SELECT sum(calls)::int FROM pg_stat_statements) AS statements,
      extract(epoch FROM uuid_extract_timestamp(id))::float * 1000 AS "bornAt" FROM webhook_pumps`);
  await worker.stop();
  const [{ bornAt, statements } = { bornAt: Number.NaN, statements: Number.NaN }] = rows;
  return { rate: (count / (endedAt - bornAt)) * 1000, statements: (statements - asked) / count };
}

/** Emits as fast as it goes while the worker delivers. */
async function live(scene: Scene, { events, ...pattern }: typeof bursts): Promise<number> {
  const { installation, sink, organizationIds } = scene;
  const { deps, environment } = installation;
  const worker = await startChild(workerEntry, environment);
  const emitter = await startChild(emitterEntry, environment);
  await sink.take();
  const startedAt = performance.now();
  emitter.tell({ organizationIds, numbers: nextNumbers(events).numbers, ...pattern, report: false });
  await sink.arrived(events);
  await allRecorded(deps);
  const seconds = (performance.now() - startedAt) / 1000;
  await emitter.stop();
  await worker.stop();
  return events / seconds;
}

async function lowLoadLatency({ installation, sink, organizationIds }: Scene): Promise<number[]> {
  const worker = await startChild(workerEntry, installation.environment);
  const emitter = await startChild(emitterEntry, installation.environment);
  const order = {
    organizationIds,
    numbers: nextNumbers(lowLoad.count).numbers,
    ...{ lanes: 1, together: 1 },
    report: true,
    perSecond: lowLoad.perSecond,
  };
  const latencies = await measureLatency({ emitter, sink, order });
  await emitter.stop();
  await worker.stop();
  return latencies;
}

await onStage(async (stage) => {
  const installation = await startInstallation({ onError: console.error });
  stage.defer(installation.dispose);
  await installation.deps.db.pool.query("CREATE EXTENSION pg_stat_statements");
  const sink = await startSinkProcess();
  stage.defer(sink.kill);
  const raw = (paths: number) => measureRawLoop({ url: sink.url, paths, count, connections: 32 });
  const sceneOf = async (endpoints: number): Promise<Scene> => {
    const urls = Array.from({ length: endpoints }, (_, index) => `${sink.url}/${index}`);
    const added = await installation.addEndpoints(urls);
    return { installation, sink, organizationIds: added.map(({ organizationId }) => organizationId) };
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
