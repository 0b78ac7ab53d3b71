// pnpm bench arrival: from the call that ends a run to the arrival of its webhook, at several paces, and how many runs end
// a second with 32 callers. The caller and the receiver are this process, so every time is of one clock; the api, the
// worker and Postgres are others. --trace: where the time goes instead. One organization with one endpoint, one event for each call.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createKey } from "@querybell/core/keys";
import { freePort } from "@querybell/embedded-postgres";
import { type Moment, Moments, type TracedCall, traceCalls } from "./arrival/moments.ts";
import { type ApiLoad, createApiLoad, perSecond } from "./automations/api-load.ts";
import { median, monotonicMs, percentile, printFigures } from "./measuring/measuring.ts";
import { allRecorded } from "./webhooks/backlog.ts";
import { apiEntry, startChild, workerEntry } from "./webhooks/child.ts";
import { type Installation, startInstallation } from "./webhooks/installation.ts";
import { type Receiver, startReceiver } from "./webhooks/receiver.ts";
import { insertRunningRuns } from "./webhooks/running-runs.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seconds: { type: "string", default: "10" },
    ends: { type: "string", default: "5000" },
    /** Prints where the time goes instead of the figures: noting the moments takes some time itself. */
    trace: { type: "boolean", default: false },
  },
});
const paces = [1, 20, 200];
const callers = 32;
/**
 * Runs that all callers end before each pace. Inserting runs analyzes their tables, and each of the api's connections then
 * plans its statements again.
 */
const warmUpRuns = 64;
const summary = 'Revenue of "Café Zürich" rose by 4.2 % to € 18,204. '.repeat(10);

interface Setup {
  installation: Installation;
  organizationId: string;
  keyId: string;
  load: ApiLoad;
  receiver: Receiver;
}

interface Run {
  id: string;
  leaseNumber: number;
}

const insertRuns = ({ installation, organizationId, keyId }: Setup, count: number): Promise<Run[]> =>
  insertRunningRuns(installation.deps, [organizationId], count, `key:${keyId}`);

const complete = ({ load }: Setup, { id, leaseNumber }: Run): Promise<unknown> =>
  load.call("externalAgents.complete", { runId: id, claimNumber: leaseNumber, summary });

interface Arrived {
  eventId: string;
  at: number;
}

/** The arrival of the webhook of each run. */
async function readArrivals({ installation, receiver }: Setup, runs: Run[]): Promise<Map<string, Arrived>> {
  const deadline = monotonicMs() + 30_000;
  while (receiver.arrivals.length < runs.length && monotonicMs() < deadline) await delay(20);
  const { rows } = await installation.deps.db.pool.query<{ id: string; runId: string }>(
    `SELECT id, split_part(dedupe_key, ':', 2) AS "runId" FROM webhook_events
     WHERE dedupe_key = ANY($1)`,
    [runs.map(({ id }) => `automation_run:${id}`)],
  );
  const runIds = new Map(rows.map(({ id, runId }) => [id, runId]));
  const arrivals = new Map<string, Arrived>();
  for (const { id, at } of receiver.arrivals) {
    const runId = runIds.get(id);
    if (runId !== undefined && !arrivals.has(runId)) arrivals.set(runId, { eventId: id, at });
  }
  if (arrivals.size !== runs.length) {
    throw new Error(`Of ${runs.length} webhooks, ${arrivals.size} arrived within 30 seconds.`);
  }
  return arrivals;
}

interface Times {
  calls: TracedCall[];
  /** From the call to the arrival of its webhook. */
  call: number[];
  /** From the call to its answer. */
  answer: number[];
}

/** Ends runs at a steady pace, whether or not earlier calls have been answered. */
async function measureAtPace(setup: Setup, perSecond: number): Promise<Times> {
  const count = Math.max(20, Math.round(perSecond * Number(flags.seconds)));
  const inserted = await insertRuns(setup, warmUpRuns + count);
  await endAll(setup, inserted.slice(0, warmUpRuns));
  const runs = inserted.slice(warmUpRuns);
  setup.receiver.arrivals.length = 0;
  const calledAt: number[] = [];
  const answers: Promise<number>[] = [];
  const startedAt = monotonicMs();
  for (const [index, run] of runs.entries()) {
    await delay(Math.max(0, startedAt + (index * 1000) / perSecond - monotonicMs()));
    const at = monotonicMs();
    calledAt.push(at);
    answers.push(complete(setup, run).then(() => monotonicMs() - at));
  }
  const answer = await Promise.all(answers);
  const arrivals = await readArrivals(setup, runs);
  const calls = runs.map(({ id: runId }, index) => {
    const { eventId = "", at: arrivedAt = Number.NaN } = arrivals.get(runId) ?? {};
    return { runId, eventId, calledAt: calledAt[index] ?? Number.NaN, arrivedAt };
  });
  return { calls, call: calls.map((call) => call.arrivedAt - call.calledAt), answer };
}

/**
 * Ends runs as fast as 32 callers can, while the worker delivers their events. Returns how many a second, once all have
 * arrived and are recorded.
 */
async function endAll(setup: Setup, runs: Run[]): Promise<number> {
  setup.receiver.arrivals.length = 0;
  const rate = await perSecond({ calls: runs.length, concurrency: callers }, async (index) => {
    const run = runs[index];
    if (run) await complete(setup, run);
  });
  await readArrivals(setup, runs);
  await allRecorded(setup.installation.deps);
  return rate;
}

/** The environment of a process that notes its moments, and how they are read once it has stopped. */
async function noteMoments(cleanup: AsyncDisposableStack, names: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "querybell-bench-"));
  cleanup.defer(() => rm(folder, { recursive: true }));
  const file = (name: string) => join(folder, `${name}.json`);
  return {
    environmentOf: (name: string) => ({
      NODE_OPTIONS: `--import ${new URL("arrival/record-moments.ts", import.meta.url).href}`,
      MOMENTS_FILE: file(name),
    }),
    async read(): Promise<Moment[]> {
      const texts = await Promise.all(names.map((name) => readFile(file(name), "utf8")));
      return texts.flatMap((text) => Moments.parse(JSON.parse(text)));
    },
  };
}

/** A row for each wait, a column for each pace. */
function printTrace(figures: Times[], moments: Moment[]): void {
  const traces = figures.map(({ calls }) => traceCalls(calls, moments));
  console.log(`| wait, p50 in ms | ${paces.map((pace) => `${pace} a second`).join(" | ")} | |`);
  console.log(`|---|${paces.map(() => "---|").join("")}---|`);
  for (const [index, { name, meaning }] of (traces[0]?.waits ?? []).entries()) {
    const cells = traces.map(({ waits }) => waits[index]?.ms.toFixed(2));
    console.log(`| ${name} | ${cells.join(" | ")} | ${meaning} |`);
  }
  console.log(
    `| calls left out | ${traces.map(({ foundEarlier }) => foundEarlier).join(" | ")} | an earlier claim found them |`,
  );
}

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const receiver = await startReceiver();
  cleanup.defer(receiver.close);
  const [endpoint] = await installation.addEndpoints([receiver.url]);
  if (!endpoint) throw new Error("There is no endpoint.");
  const { caller, organizationId } = endpoint;
  const { key, id: keyId } = await createKey(installation.deps, caller, {
    name: "Agent",
    scopes: ["automations:run"],
  });
  const port = await freePort();
  const { environment } = installation;
  const noted = flags.trace ? await noteMoments(cleanup, ["api", "worker"]) : undefined;
  const api = await startChild(apiEntry, {
    ...environment,
    ...noted?.environmentOf("api"),
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: "1000000000",
  });
  cleanup.defer(api.kill);
  const worker = await startChild(workerEntry, { ...environment, ...noted?.environmentOf("worker") });
  cleanup.defer(worker.kill);
  const load = createApiLoad(`http://127.0.0.1:${port}`, key, callers);
  cleanup.defer(load.close);
  const setup: Setup = { installation, organizationId, keyId, load, receiver };

  await endAll(setup, await insertRuns(setup, Math.ceil(Number(flags.ends) / 5)));
  const figures: Times[] = [];
  for (const pace of paces) {
    const times = await measureAtPace(setup, pace);
    figures.push(times);
    const show = (values: number[]) =>
      `p50 ${median(values).toFixed(1)}, p99 ${percentile(values, 99).toFixed(1)} ms`;
    console.log(`${pace} a second: arrival ${show(times.call)}; answer ${show(times.answer)}`);
  }
  if (noted) {
    await Promise.all([api.stop(), worker.stop()]);
    printTrace(figures, await noted.read());
    return;
  }
  const ends = Number(flags.ends);
  const runs = await insertRuns(setup, ends);
  const cpuBefore = [api.cpuMs(), worker.cpuMs()];
  const rate = await endAll(setup, runs);
  const [apiMs, workerMs] = [api, worker].map(
    (child, index) => (child.cpuMs() - (cpuBefore[index] ?? 0)) / ends,
  );
  console.log(`processor time for an end: api ${apiMs?.toFixed(2)} ms, worker ${workerMs?.toFixed(2)} ms`);
  const worst = (name: "call" | "answer", percent: number) =>
    Math.max(...figures.map((times) => percentile(times[name], percent))).toFixed(1);
  printFigures("arrival", {
    call_p50_ms: worst("call", 50),
    call_p99_ms: worst("call", 99),
    answer_p50_ms: worst("answer", 50),
    ends_per_s: rate.toFixed(0),
  });
});
