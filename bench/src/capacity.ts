// pnpm bench capacity: what one Postgres carries. For ends of runs, deliveries and runs of queries: what each costs
// Postgres (processor time, WAL, disk writes that were waited for), how many a second follow from that if Postgres has half
// a core, one, or as many as there are, and how many there were. Needs root, to limit the cores of Postgres.
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createCoreLimit, postmasterOf, treeCpuMs } from "./capacity/server-processes.ts";
import { deliveries, endsOfRuns, queryRuns, type Workload } from "./capacity/workloads.ts";
import { printFigures } from "./measuring/measuring.ts";
import { type Installation, startInstallation } from "./webhooks/installation.ts";
import { startReceiverProcess } from "./webhooks/receiver-messages.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    ends: { type: "string", default: "4000" },
    deliveries: { type: "string", default: "20000" },
    runs: { type: "string", default: "600" },
  },
});
const cores = availableParallelism();
const limits = [0.5, 1, cores];
/** Idle connections report to the statistics after ten seconds. */
const statisticsMs = 11_000;

/** What one of a workload costs. */
interface Costs {
  postgresMs: number;
  /** Processor time of the processes that work with Postgres, and of this one. */
  othersMs: number;
  walBytes: number;
  syncs: number;
}

interface Measured extends Omit<Costs, "syncs"> {
  perSecond: number;
}

interface Setup {
  installation: Installation;
  postmaster: number;
}

async function readNumber({ deps }: Installation, sql: string): Promise<number> {
  const { rows } = await deps.db.pool.query<{ value: number }>(sql);
  return rows[0]?.value ?? Number.NaN;
}

const readWalBytes = (installation: Installation) =>
  readNumber(installation, "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS value");

/** Waits until idle connections have reported theirs. */
async function readSyncs(installation: Installation): Promise<number> {
  await delay(statisticsMs);
  return readNumber(installation, "SELECT sum(fsyncs)::float8 AS value FROM pg_stat_io WHERE object = 'wal'");
}

async function measure(
  { installation, postmaster }: Setup,
  { prepare, count, processes }: Workload,
): Promise<Measured> {
  await installation.deps.db.pool.query("CHECKPOINT");
  const work = await prepare(count);
  const read = async () => ({
    walBytes: await readWalBytes(installation),
    postgresMs: treeCpuMs(postmaster),
    othersMs: processes.reduce((sum, { pid }) => sum + treeCpuMs(pid), 0),
    own: process.cpuUsage(),
  });
  const before = await read();
  const seconds = await work();
  const after = await read();
  const ownMs = (after.own.user + after.own.system - before.own.user - before.own.system) / 1000;
  return {
    perSecond: count / seconds,
    postgresMs: (after.postgresMs - before.postgresMs) / count,
    othersMs: (after.othersMs - before.othersMs + ownMs) / count,
    walBytes: (after.walBytes - before.walBytes) / count,
  };
}

/** With as many cores as there are. */
async function measureCosts(setup: Setup, workload: Workload): Promise<Measured & Costs> {
  const warmUp = await workload.prepare(Math.ceil(workload.count / 2));
  await warmUp();
  const before = await readSyncs(setup.installation);
  const measured = await measure(setup, workload);
  const syncs = ((await readSyncs(setup.installation)) - before) / workload.count;
  return { ...measured, syncs };
}

interface Prediction {
  perSecond: number;
  saturated: "the cores of Postgres" | "all cores";
}

/** What follows from the costs alone: whichever is used up first, the cores of Postgres or all of them. */
function predict(
  { postgresMs, othersMs }: Pick<Costs, "postgresMs" | "othersMs">,
  postgresCores: number,
): Prediction {
  const byPostgres = (1000 * postgresCores) / postgresMs;
  const byAll = (1000 * cores) / (postgresMs + othersMs);
  return byPostgres < byAll
    ? { perSecond: byPostgres, saturated: "the cores of Postgres" }
    : { perSecond: byAll, saturated: "all cores" };
}

await withCleanup(async (cleanup) => {
  // Vacuuming what one workload has left would count as a cost of the next.
  const postgresSettings = { autovacuum: "off" };
  const installation = await startInstallation({ onError: console.error, postgresSettings });
  cleanup.defer(installation.dispose);
  const receiver = await startReceiverProcess();
  cleanup.defer(receiver.kill);
  const setup: Setup = { installation, postmaster: postmasterOf(installation.server().serverFolder) };
  const limit = createCoreLimit(setup.postmaster);
  cleanup.defer(async () => limit[Symbol.dispose]());
  const workloads = [
    () => endsOfRuns({ installation, cleanup }, Number(flags.ends)),
    () => deliveries({ installation, cleanup, receiver }, Number(flags.deliveries)),
    () => queryRuns({ installation, cleanup }, Number(flags.runs)),
  ];
  const errors: number[] = [];
  const lines: string[] = [];
  for (const start of workloads) {
    limit.set(cores);
    const workload = await start();
    const whole = await measureCosts(setup, workload);
    console.log(
      `${workload.name}: ${whole.postgresMs.toFixed(3)} ms of Postgres, ${whole.othersMs.toFixed(3)} ms of the others, ${whole.walBytes.toFixed(0)} bytes of WAL, ${whole.syncs.toFixed(3)} disk writes waited for`,
    );
    for (const postgresCores of limits) {
      limit.set(postgresCores);
      const { perSecond } = postgresCores === cores ? whole : await measure(setup, workload);
      const predicted = predict(whole, postgresCores);
      errors.push(Math.abs(perSecond / predicted.perSecond - 1));
      lines.push(
        `| ${workload.name} | ${postgresCores} | ${predicted.perSecond.toFixed(0)} | ${perSecond.toFixed(0)} | ${predicted.saturated} |`,
      );
    }
    limit.set(cores);
    await workload.stop();
  }
  console.log(
    "| | cores of Postgres | a second, from the costs | measured | used up first |\n|---|---|---|---|---|",
  );
  console.log(lines.join("\n"));
  printFigures("capacity", { worst_error: Math.max(...errors).toFixed(2) });
});
