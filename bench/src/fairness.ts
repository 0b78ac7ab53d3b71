// What a quiet organization notices of a hostile one: the 99th percentiles of its runs, page reads and deliveries
// beside a flood over those without it, measured in turns. The api, the worker, the emitter, the sink, the flood
// and Postgres are processes of their own.
import { createServer } from "node:net";
import { parseArgs } from "node:util";
import { freePort } from "@querybell/embedded-postgres";
import { createApi } from "./fairness/api-calls.ts";
import { type FloodOrder, floodEntry } from "./fairness/flood-order.ts";
import { addOrganization } from "./fairness/organization.ts";
import { type Latencies, measureQuiet } from "./fairness/quiet.ts";
import { commitBacklog } from "./webhooks/backlog.ts";
import { apiEntry, startChild, workerEntry } from "./webhooks/child.ts";
import { emitterEntry } from "./webhooks/emission-order.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { percentile } from "./webhooks/percentile.ts";
import { startSinkProcess } from "./webhooks/sink-questions.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: "string", default: "3" } },
});
const rounds = Number(flags.rounds);
const counts = { runs: 100, pages: 200, deliveries: 200 };
const warmUp = { runs: 10, pages: 20, deliveries: 20 };
const hanging = { endpoints: 50, events: 500 };
const slowQueries = 12;
const kinds = ["runs", "pages", "deliveries"] as const;

await withCleanup(async (stage) => {
  const installation = await startInstallation({ onError: console.error });
  stage.defer(installation.dispose);
  const { deps, settings } = installation;
  const sink = await startSinkProcess();
  stage.defer(sink.kill);
  const quiet = await addOrganization(deps, settings.DATABASE_URL);
  await quiet.addEndpoint(`${sink.url}/quiet`);
  const { id: queryId } = await quiet.addQuery("SELECT n, n * n AS square FROM generate_series(1, 100) n");
  for (let made = 0; made < 30; made++) await quiet.addQuery(`SELECT ${made}`);

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    ...installation.environment,
    ANALYTICS_NETWORKS: "127.0.0.0/8",
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: "6000",
  };
  const start = async (entry: URL) => {
    const child = await startChild(entry, environment);
    stage.defer(child.kill);
    return child;
  };
  await start(apiEntry);
  await start(workerEntry);
  const emitter = await start(emitterEntry);
  const order = await prepareFlood();
  const api = createApi(url, quiet.key);
  let emitted = 0;
  const measure = (many: typeof counts): Promise<Latencies> => {
    const firstEvent = emitted;
    emitted += many.deliveries;
    const { organizationId } = quiet;
    return measureQuiet({ api, queryId, emitter, sink, organizationId, counts: many, firstEvent });
  };

  await measure(warmUp);
  const alone: Latencies = { runs: [], pages: [], deliveries: [] };
  const beside: Latencies = { runs: [], pages: [], deliveries: [] };
  for (let round = 0; round < rounds; round++) {
    collect(alone, await measure(counts));
    const flood = await startChild(floodEntry);
    stage.defer(flood.kill);
    await flood.ask(order);
    // What the flood has not tried yet is tried now, not while it is measured.
    await measure(warmUp);
    collect(beside, await measure(counts));
    await flood.kill();
    await endRunsOfFlood();
  }
  const ratios = kinds.map((kind) => {
    const [without, besideFlood] = [percentile(alone[kind], 99), percentile(beside[kind], 99)];
    console.log(
      `${kind}: alone p50 ${percentile(alone[kind], 50).toFixed(1)} ms, p99 ${without.toFixed(1)} ms; beside the flood p50 ${percentile(beside[kind], 50).toFixed(1)} ms, p99 ${besideFlood.toFixed(1)} ms`,
    );
    return `${kind}=${(besideFlood / without).toFixed(2)}`;
  });
  console.log(`fairness ${ratios.join(" ")}`);

  /** Everything that the hostile organization needs, and a server that accepts connections and never answers. */
  async function prepareFlood(): Promise<FloodOrder> {
    const hostile = await addOrganization(deps, settings.DATABASE_URL);
    for (let made = 0; made < hanging.endpoints; made++)
      await hostile.addEndpoint(`${sink.url}/hang/${made}`);
    await commitBacklog(deps, {
      organizationIds: [hostile.organizationId],
      first: 1_000_000,
      count: hanging.events / hanging.endpoints,
    });
    const slowQueryIds: string[] = [];
    for (let made = 0; made < slowQueries; made++) {
      slowQueryIds.push((await hostile.addQuery(`SELECT pg_sleep(15), ${made}`)).id);
    }
    const big = { name: "big", displayName: "Big", type: "string" as const, description: "" };
    const placeholders = Array.from({ length: 20 }, () => "{{big}}").join(", ");
    const { id: bigQueryId } = await hostile.addQuery(`SELECT ${placeholders}`, [big]);
    const columns = Array.from({ length: 31 }, (_, column) => `n * ${column + 1} AS c${column}`).join(", ");
    const automationIds: string[] = [];
    for (let made = 0; made < 3; made++) {
      const heavy = await hostile.addQuery(`SELECT ${columns} FROM generate_series(1, 50000) n`);
      automationIds.push(await hostile.addAutomation(heavy.shortId));
    }
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    stage.defer(async () => void silent.close());
    await new Promise((resolve) => silent.once("listening", resolve));
    const address = silent.address();
    const silentPort = typeof address === "object" ? (address?.port ?? 0) : 0;
    const { key, email, password } = hostile;
    const who = { key, email, password, url, publicUrl: settings.PUBLIC_URL };
    return { ...who, slowQueryIds, bigQueryId, automationIds, silentPort };
  }

  /** Cancels what the flood has left, so that the quiet organization is alone again. */
  async function endRunsOfFlood(): Promise<void> {
    await deps.db.pool.query(
      `UPDATE automation_runs SET status = 'failed', completed_at = now(), failure_code = 'stopped',
         failure_reason = 'stopped' WHERE status IN ('pending', 'running')`,
    );
    await deps.db.pool.query(
      `UPDATE query_runs SET status = 'failed', completed_at = now(), failure_code = 'cancelled',
         failure_reason = 'cancelled' WHERE status IN ('pending', 'running')`,
    );
  }
});

function collect(all: Latencies, more: Latencies): void {
  for (const kind of kinds) all[kind].push(...more[kind]);
}
