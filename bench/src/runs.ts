// pnpm bench runs: what a run costs. Milliseconds from `queries.run` to completed for `SELECT 1`, beyond what the
// engine takes; runs a second with 8 callers, over a bare loop that runs the same statement in the driver and stores
// the result in one transaction; and for 50,000 rows of ten columns, the time of the bare loop over ours. On DuckDB and
// Postgres the line has the worse of both. Trino is measured if it can be started here (see CONTRIBUTING.md).
import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { EngineKind } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import { startTrinoControl } from "@querybell/engines/testing/trino-control";
import { z } from "zod";
import { perSecond } from "./automations/api-load.ts";
import { median, percentile, printFigures } from "./measuring/measuring.ts";
import { openBareStore } from "./runs/bare-store.ts";
import { type Engine, openDuckdb, openPostgres, openTrino, rowStatements } from "./runs/engines.ts";
import { openOurRuns } from "./runs/our-runs.ts";
import { printProfile } from "./runs/profile.ts";
import { apiEntry, startChild, workerEntry } from "./webhooks/child.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    engines: { type: "string", default: "duckdb,postgres,trino" },
    runs: { type: "string", default: "200" },
    rounds: { type: "string", default: "5" },
  },
});
const runs = Number(flags.runs);
const rounds = Number(flags.rounds);
const callers = 8;
const small = "SELECT 1 AS n";

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const { settings, environment } = installation;
  await mkdir(settings.DUCKDB_FOLDER, { recursive: true });
  const owner = await installation.addOwner();
  const engines = await openEngines();
  const port = await freePort();
  const production = { ...environment, LOG_LEVEL: "info", ANALYTICS_NETWORKS: "127.0.0.0/8" };
  const api = await startChild(apiEntry, {
    ...production,
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: "1000000000",
  });
  cleanup.defer(api.kill);
  const worker = await startChild(workerEntry, production);
  cleanup.defer(worker.kill);
  const ours = await openOurRuns({ installation, owner, url: `http://127.0.0.1:${port}`, callers });
  cleanup.defer(ours.close);
  const bare = await openBareStore(settings.DATABASE_URL);
  cleanup.defer(bare.close);

  const measured = new Map<EngineKind, { overheadMs: number; rate: number; rows: number }>();
  for (const engine of engines) {
    const isCluster = engine.kind === "trino";
    const overheadMs = isCluster ? Number.NaN : await measureOverhead(engine);
    const rate = isCluster ? Number.NaN : await measureRate(engine);
    measured.set(engine.kind, { overheadMs, rate, rows: await measureRows(engine) });
  }
  const both = [...measured].filter(([kind]) => kind !== "trino").map(([, each]) => each);
  const ratio = (kind: EngineKind) => measured.get(kind)?.rows.toFixed(2);
  printFigures("runs", {
    ...(both.length > 0 && {
      overhead_ms: Math.max(...both.map((each) => each.overheadMs)).toFixed(1),
      rate_ratio: Math.min(...both.map((each) => each.rate)).toFixed(2),
    }),
    rows_ratio_duckdb: ratio("duckdb"),
    rows_ratio_postgres: ratio("postgres"),
    rows_ratio_trino: ratio("trino"),
  });

  async function openEngines(): Promise<Engine[]> {
    const wanted = flags.engines.split(",");
    const opened: Engine[] = [];
    if (wanted.includes("duckdb")) opened.push(await openDuckdb(installation, owner));
    if (wanted.includes("postgres")) opened.push(await openPostgres(installation, owner));
    if (wanted.includes("trino")) {
      const control = await startTrinoControl();
      cleanup.defer(control.stop);
      if (control.missing === undefined)
        opened.push(await openTrino(await clusterUrl(control.url))(installation, owner));
      else console.error(control.missing);
    }
    for (const { close } of opened) cleanup.defer(close);
    return opened;
  }

  async function measureOverhead(engine: Engine): Promise<number> {
    const id = await ours.createQuery(engine.databaseId, small);
    const [here, there]: [number[], number[]] = [[], []];
    for (let index = -20; index < runs; index++) {
      const [time, engineTime] = [await timed(() => ours.run(id)), await timed(() => engine.read(small))];
      if (index < 0) continue;
      here.push(time);
      there.push(engineTime);
    }
    const [ourMs, engineMs] = [median(here), median(there)];
    console.log(
      `${engine.kind}: a run p50 ${ourMs.toFixed(1)} ms, p99 ${percentile(here, 99).toFixed(1)} ms; the engine ${engineMs.toFixed(1)} ms`,
    );
    await printProfile(`SELECT 1 on ${engine.kind}`, { installation, api, worker, run: () => ours.run(id) });
    return ourMs - engineMs;
  }

  async function measureRate(engine: Engine): Promise<number> {
    // A query for each caller: a run with equal values joins the one that is unfinished.
    const ids = await Promise.all(
      Array.from({ length: callers }, () => ours.createQuery(engine.databaseId, small)),
    );
    const free = [...ids];
    const ourRun = async () => {
      const id = free.pop();
      if (id === undefined) throw new Error("There are more callers than queries.");
      await ours.run(id);
      free.push(id);
    };
    const load = { calls: runs * 2, concurrency: callers };
    await perSecond({ ...load, calls: 50 }, ourRun);
    await perSecond({ ...load, calls: 50 }, () => bare.runAndStore(engine, small));
    const here = await perSecond(load, ourRun);
    const there = await perSecond(load, () => bare.runAndStore(engine, small));
    console.log(`${engine.kind}: ${here.toFixed(0)} runs a second, bare ${there.toFixed(0)}`);
    return here / there;
  }

  async function measureRows(engine: Engine): Promise<number> {
    const statement = rowStatements[engine.kind];
    const id = await ours.createQuery(engine.databaseId, statement);
    const [here, there]: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round++) {
      const bareTime = await timed(() => bare.runAndStore(engine, statement));
      const ourTime = await timed(() => ours.run(id));
      if (round === 0) continue;
      here.push(ourTime);
      there.push(bareTime);
    }
    const [ourMs, bareMs] = [median(here), median(there)];
    console.log(`${engine.kind}: 50,000 rows in ${ourMs.toFixed(0)} ms, bare ${bareMs.toFixed(0)} ms`);
    return bareMs / ourMs;
  }
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function clusterUrl(control: string): Promise<string> {
  const response = await fetch(`${control}/start`, { method: "POST", signal: AbortSignal.timeout(900_000) });
  if (!response.ok) throw new Error(await response.text());
  return z.object({ url: z.string() }).parse(await response.json()).url;
}
