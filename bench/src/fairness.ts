// How much a hostile organization slows a quiet one down: the 99th percentiles of the quiet one's runs, page reads and
// deliveries during a flood, divided by those without it, measured alternately. The api, the worker, the emitter, the
// receiver, the flood and Postgres are separate processes on one machine. The api has its default limits.
//
// The flood is bounded, so that the service is measured and not the machine: about 60 requests a second of an
// organization with four keys and a signed-in admin (pages of 100 references, values of 900 kB, statements of
// 500 kB, triggers of automations with heavy results), 10 connection tests to a server that never answers,
// 40 subscriptions, 12 queries that sleep or compute without an end, and 500 events for endpoints that never answer.
// Its process sends bodies that were encoded before and does not read answers; its share of a core and the statuses of
// its answers are printed. The hostile queries run in engine hosts.
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "@querybell/embedded-postgres";
import { createApi } from "./fairness/api-calls.ts";
import { FloodReport, type FloodRequest, floodEntry } from "./fairness/flood-request.ts";
import { addOrganization } from "./fairness/organization.ts";
import { deliveriesPerSecond, kinds, type Latencies, measureQuiet } from "./fairness/quiet.ts";
import { median, percentile, printFigures } from "./measuring/measuring.ts";
import { commitBacklog } from "./webhooks/backlog.ts";
import { apiEntry, startChild, workerEntry } from "./webhooks/child.ts";
import { emitterEntry } from "./webhooks/emit-request.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { startReceiverProcess } from "./webhooks/receiver-messages.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: "string", default: "4" }, seconds: { type: "string", default: "20" } },
});
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
const warmUpSeconds = 3;
const hanging = { endpoints: 50, eventsEachRound: 10 };
const slowQueries = { sleeping: 8, computing: 4 };
const bigReferences = 100;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const { deps, settings } = installation;
  const receiver = await startReceiverProcess();
  cleanup.defer(receiver.kill);
  const quiet = await addOrganization(installation);
  await quiet.addEndpoint(`${receiver.url}/quiet`);
  const queryIds: string[] = [];
  for (let made = 0; made < 30; made++) {
    const sql = `SELECT n, n * ${made} AS multiple FROM generate_series(1, 100) n`;
    queryIds.push((await quiet.addQuery("postgres", sql)).id);
  }

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    ...installation.environment,
    ANALYTICS_NETWORKS: "127.0.0.0/8",
    PORT: String(port),
  };
  const start = async (entry: URL) => {
    const child = await startChild(entry, environment);
    cleanup.defer(child.kill);
    return child;
  };
  await start(apiEntry);
  await start(workerEntry);
  const emitter = await start(emitterEntry);
  const { organizationId } = quiet;
  const runsApi = createApi(url, await quiet.addKey());
  const pagesApi = createApi(url, await quiet.addKey());
  let firstEvent = 0;
  const measure = async (measuredSeconds: number): Promise<Latencies> => {
    const latencies = await measureQuiet({
      runsApi,
      pagesApi,
      queryIds,
      emitter,
      receiver,
      organizationId,
      seconds: measuredSeconds,
      firstEvent,
    });
    firstEvent += measuredSeconds * deliveriesPerSecond;
    return latencies;
  };
  const hostile = await prepareFlood();

  await measure(warmUpSeconds);
  const alone: Latencies[] = [];
  const beside: Latencies[] = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(await measure(seconds));
    const flood = await startChild(floodEntry);
    cleanup.defer(flood.kill);
    await hostile.emit(round);
    await flood.ask(hostile.request);
    // Warms up everything that the flood uses, before the measurement.
    await measure(warmUpSeconds);
    beside.push(await measure(seconds));
    const { answers, cpuShare } = FloodReport.parse(await flood.ask({}));
    console.log(`flood: ${(100 * cpuShare).toFixed(0)} % of a core, answers ${JSON.stringify(answers)}`);
    await flood.kill();
    await endFlood();
  }
  const ratios = kinds.map((kind) => {
    // The median of the rounds: one disturbed second decides the 99th percentile of a round.
    const p99s = (measured: Latencies[]) => measured.map((round) => percentile(round[kind], 99));
    const [without, besideFlood] = [median(p99s(alone)), median(p99s(beside))];
    const shown = (measured: Latencies[]) =>
      p99s(measured)
        .map((p99) => p99.toFixed(1))
        .join(", ");
    console.log(`${kind}, p99 of each round, ms: alone ${shown(alone)}; beside the flood ${shown(beside)}`);
    return [kind, (besideFlood / without).toFixed(2)] as const;
  });
  printFigures("fairness", Object.fromEntries(ratios));

  /** Creates the objects of the hostile organization, and a server that accepts connections and never answers. */
  async function prepareFlood() {
    const hostile = await addOrganization(installation);
    for (let made = 0; made < hanging.endpoints; made++)
      await hostile.addEndpoint(`${receiver.url}/hang/${made}`);
    const slowQueryIds: string[] = [];
    for (let made = 0; made < slowQueries.sleeping; made++) {
      slowQueryIds.push((await hostile.addQuery("postgres", `SELECT pg_sleep(15), ${made}`)).id);
    }
    for (let made = 0; made < slowQueries.computing; made++) {
      const sql = `SELECT sum(a.range * b.range + ${made}) FROM range(1000000) a, range(1000000) b`;
      slowQueryIds.push((await hostile.addQuery("duckdb", sql)).id);
    }
    const big = { name: "big", displayName: "Big", type: "string" as const, description: "" };
    const placeholders = Array.from({ length: 20 }, () => "{{big}}").join(", ");
    const { id: bigQueryId, analyticalDatabaseConfigId } = await hostile.addQuery(
      "postgres",
      `SELECT ${placeholders}`,
      [big],
    );
    for (let made = 0; made < bigReferences; made++) {
      await hostile.addQuery("postgres", `SELECT '${"x".repeat(10_000)}', ${made}`);
    }
    const columns = Array.from({ length: 31 }, (_, column) => `range * ${column + 1} AS c${column}`);
    const automationIds: string[] = [];
    for (let made = 0; made < 3; made++) {
      const heavy = await hostile.addQuery("duckdb", `SELECT ${columns.join(", ")} FROM range(50000)`);
      automationIds.push(await hostile.addAutomation(heavy.shortId));
    }
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    cleanup.defer(async () => void silent.close());
    await new Promise((resolve) => silent.once("listening", resolve));
    const address = silent.address();
    const silentPort = typeof address === "object" ? (address?.port ?? 0) : 0;
    const [pages, runs, bigKey, triggers] = await Promise.all([1, 2, 3, 4].map(() => hostile.addKey()));
    const { email, password } = hostile;
    const request: FloodRequest = {
      url,
      publicUrl: settings.PUBLIC_URL,
      email,
      password,
      keys: { pages: pages ?? "", runs: runs ?? "", big: bigKey ?? "", triggers: triggers ?? "" },
      slowQueryIds,
      bigQueryId,
      analyticalDatabaseConfigId,
      automationIds,
      silentPort,
    };
    return {
      request,
      /** Emits events for the endpoints that never answer. */
      emit: (round: number) =>
        commitBacklog(deps, {
          organizationIds: [hostile.organizationId],
          first: 1_000_000 + round * hanging.eventsEachRound,
          count: hanging.eventsEachRound,
        }),
    };
  }

  /** Ends the unfinished work of the flood. */
  async function endFlood(): Promise<void> {
    await deps.db.pool.query(
      `UPDATE automation_runs SET status = 'failed', completed_at = now(), failure_code = 'stopped',
         failure_reason = 'stopped' WHERE status IN ('pending', 'running')`,
    );
    await deps.db.pool.query(
      `UPDATE query_runs SET status = 'failed', completed_at = now(), failure_code = 'cancelled',
         failure_reason = 'cancelled' WHERE status IN ('pending', 'running')`,
    );
    await deps.db.pool.query(
      "UPDATE webhook_deliveries SET state = 'cancelled', state_changed_at = now() WHERE state = 'pending'",
    );
    // Attempts, digests and statements in progress end within this time.
    await delay(6_000);
  }
});
