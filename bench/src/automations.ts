// pnpm bench automations: what feeds the webhooks. Runs triggered, claimed and completed over HTTP by 16 external
// agents, over the same with a bare handler that writes the same rows in one statement for each call; round trips to
// the database; and how long 1,000 digests take that fall due at the same moment, without and with conditions.
// --only at_nine leaves out the rest.
import { parseArgs } from "node:util";
import { createKey } from "@querybell/core/keys";
import { freePort } from "@querybell/embedded-postgres";
import { z } from "zod";
import { type ApiLoad, createApiLoad, perSecond } from "./automations/api-load.ts";
import { measureAtNine } from "./automations/at-nine.ts";
import { createBenchAutomation, createSquaresReference } from "./automations/create-automation.ts";
import { median, percentile, printFigures } from "./measuring/measuring.ts";
import { apiEntry, startChild } from "./webhooks/child.ts";
import { type Installation, startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    runs: { type: "string", default: "1000" },
    digests: { type: "string", default: "1000" },
    only: { type: "string" },
  },
});
const runs = Number(flags.runs);
const digests = Number(flags.digests);
const rounds = 3;
const agents = 16;
const runsPerAutomation = 5;
/** Calls one after the other, whose statements are counted. */
const counted = 50;

const Claim = z.object({ run: z.object({ id: z.string() }), claimNumber: z.int() }).nullable();
const summary = 'Revenue of "Café Zürich" rose by 4.2 % to € 18,204. '.repeat(10);

/** An organization with an endpoint and automations for external agents, and calls to it. */
interface Side {
  load: ApiLoad;
  automationIds: string[];
}

async function createSide(installation: Installation, url: string): Promise<Side> {
  const { deps, addEndpoints, settings } = installation;
  const [endpoint] = await addEndpoints(["http://127.0.0.1:9/"]);
  if (!endpoint) throw new Error("There is no endpoint.");
  const { caller } = endpoint;
  const { key } = await createKey(deps, caller, { name: "Agent", scopes: ["automations:run"] });
  const references = [{ shortId: await createSquaresReference(deps, caller, settings.DATABASE_URL) }];
  const automationIds: string[] = [];
  for (let index = 0; index < runs / runsPerAutomation; index++) {
    const { id } = await createBenchAutomation(deps, caller, { references, agent: "external" });
    automationIds.push(id);
  }
  return { load: createApiLoad(url, key, agents), automationIds };
}

const triggerAt = async ({ load, automationIds }: Side, index: number): Promise<void> => {
  await load.call("automations.trigger", { id: automationIds[index % automationIds.length] });
};

const claim = async ({ load }: Side) => Claim.parse(await load.call("externalAgents.claim", {}));

async function complete({ load }: Side, claimed: NonNullable<z.infer<typeof Claim>>): Promise<number> {
  const { run, claimNumber } = claimed;
  const startedAt = performance.now();
  await load.call("externalAgents.complete", { runId: run.id, claimNumber, summary });
  return performance.now() - startedAt;
}

async function measureRound(side: Side): Promise<{ triggers: number; ends: number; latencies: number[] }> {
  const latencies: number[] = [];
  const triggers = await perSecond({ calls: runs, concurrency: agents }, (index) => triggerAt(side, index));
  const ends = await perSecond({ calls: runs, concurrency: agents }, async () => {
    // Of an automation, one run is ready at a time: while others hold all of them, there is none.
    let claimed = await claim(side);
    while (!claimed) claimed = await claim(side);
    latencies.push(await complete(side, claimed));
  });
  return { triggers, ends, latencies };
}

/**
 * Statements of one call, one call at a time: notices to watchers are not sent together then. Without the reads of the
 * key, which is remembered for five seconds however many calls there are.
 */
async function countTrips({ deps }: Installation, side: Side) {
  const { pool } = deps.db;
  const count = async (work: () => Promise<unknown>): Promise<number> => {
    await pool.query("SELECT pg_stat_statements_reset()");
    for (let index = 0; index < counted; index++) await work();
    const { rows } = await pool.query<{ calls: number }>(
      "SELECT sum(calls)::int AS calls FROM pg_stat_statements WHERE query !~ 'pg_stat_statements|api_keys'",
    );
    return (rows[0]?.calls ?? Number.NaN) / counted;
  };
  let next = 0;
  const claims: NonNullable<z.infer<typeof Claim>>[] = [];
  const trigger = await count(() => triggerAt(side, next++));
  const claiming = await count(async () => {
    const claimed = await claim(side);
    if (claimed) claims.push(claimed);
  });
  const end = await count(async () => {
    const claimed = claims.pop();
    if (claimed) await complete(side, claimed);
  });
  return { trigger, claim: claiming, end };
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** What one call costs: of our api, and of the bare handler. */
async function measureCalls(installation: Installation, cleanup: AsyncDisposableStack) {
  const port = await freePort();
  const api = await startChild(apiEntry, {
    ...installation.environment,
    LOG_LEVEL: "info",
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: "1000000000",
  });
  cleanup.defer(api.kill);
  const bare = await startChild(
    new URL("automations/bare-process.ts", import.meta.url),
    installation.environment,
  );
  cleanup.defer(bare.kill);
  const ours = await createSide(installation, `http://127.0.0.1:${port}`);
  const limit = await createSide(installation, z.string().parse(await bare.ask({ ask: "url" })));
  cleanup.defer(async () => void (await Promise.all([ours.load.close(), limit.load.close()])));

  // The first round warms both up.
  const results: Record<"here" | "there", Awaited<ReturnType<typeof measureRound>>>[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [there, here] = [await measureRound(limit), await measureRound(ours)];
    await installation.deps.db.pool.query(
      "VACUUM ANALYZE automation_runs, automation_steps, webhook_deliveries",
    );
    console.log(
      `round ${round}: triggers/s ${here.triggers.toFixed(0)}, bare ${there.triggers.toFixed(0)}; ends/s ${here.ends.toFixed(0)}, bare ${there.ends.toFixed(0)}; end p50 ${percentile(here.latencies, 50).toFixed(1)} ms`,
    );
    if (round > 0) results.push({ here, there });
  }
  const trips = await countTrips(installation, ours);
  console.log(`round trips: trigger ${trips.trigger}, claim ${trips.claim}, end ${trips.end}`);
  await api.stop();
  await bare.kill();
  const latencies = results.flatMap(({ here }) => here.latencies);
  const ratio = (name: "ends" | "triggers") =>
    mean(results.map(({ here }) => here[name])) / mean(results.map(({ there }) => there[name]));
  return {
    ends_ratio: ratio("ends").toFixed(2),
    triggers_ratio: ratio("triggers").toFixed(2),
    trips_per_end: trips.end.toFixed(1),
    trips_per_trigger: trips.trigger.toFixed(1),
    end_p50_ms: median(latencies).toFixed(1),
    end_p99_ms: percentile(latencies, 99).toFixed(1),
  };
}

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const calls = flags.only === "at_nine" ? {} : await measureCalls(installation, cleanup);
  const atNine = async (haveConditions: boolean) =>
    digests > 0
      ? (await measureAtNine(installation, { cleanup, digests, haveConditions })).toFixed(1)
      : undefined;
  printFigures("automations", {
    ...calls,
    at_nine_s: await atNine(false),
    at_nine_conditions_s: await atNine(true),
  });
});
