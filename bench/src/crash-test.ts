// pnpm crash-test: emits events while every process is killed repeatedly, then checks that each event arrived at its
// endpoint. Some events come from runs that an external agent completes over the API.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClient } from "@querybell/client";
import { createKey } from "@querybell/core/keys";
import { freePort } from "@querybell/embedded-postgres";
import { createBenchAutomation, createSquaresReference } from "./automations/create-automation.ts";
import { apiEntry, type Child, startChild, workerEntry } from "./webhooks/child.ts";
import { eventsOfRuns, findFinals, type Kill, strandedAt, verdict } from "./webhooks/crash-evidence.ts";
import { Emitted, emitterEntry } from "./webhooks/emit-request.ts";
import { runExternalAgent } from "./webhooks/external-agent.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { startReceiver } from "./webhooks/receiver.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    events: { type: "string", default: "20000" },
    /** How long emitting would take without kills. */
    seconds: { type: "string", default: "90" },
  },
});
const events = Number(flags.events);
const throughApi = Math.round(events / 20);
const numbered = events - throughApi;
const perSecond = numbered / Number(flags.seconds);
const endpointCount = 50;
const workerCount = 3;
const victims = ["worker", "api", "emitter", "worker", "postgres"] as const;
const killEveryMs = { least: 2_000, most: 6_000 };
const finalWithinMs = 120_000;

await withCleanup(async (cleanup) => {
  let stopped = false;
  const installation = await startInstallation({ onError: () => {} });
  cleanup.defer(installation.dispose);
  const receiver = await startReceiver();
  cleanup.defer(receiver.close);
  const added = await installation.addEndpoints(
    Array.from({ length: endpointCount }, (_, index) => `${receiver.url}/${index}`),
  );
  const organizationIds = added.map(({ organizationId }) => organizationId);

  const committed = new Map<number, string | undefined>();
  const missing = () =>
    Array.from({ length: numbered }, (_, number) => number).filter((number) => !committed.has(number));
  const startWorker = () => startChild(workerEntry, installation.environment);
  const startEmitter = async () => {
    const emitter = await startChild(emitterEntry, installation.environment);
    emitter.onMessage((message) => {
      const { numbers, ids } = Emitted.parse(message);
      for (const [index, number] of numbers.entries()) committed.set(number, ids[index]);
    });
    emitter.send({
      organizationIds,
      numbers: missing(),
      concurrency: 8,
      batchSize: 1,
      perSecond,
      report: true,
    });
    return emitter;
  };

  const [{ caller } = { caller: undefined }] = added;
  if (!caller) throw new Error("There is no endpoint.");
  const { deps, settings } = installation;
  const references = [{ shortId: await createSquaresReference(deps, caller, settings.DATABASE_URL) }];
  const automation = await createBenchAutomation(deps, caller, { references, agent: "external" });
  const scopes = ["automations:run" as const];
  const { key } = await createKey(deps, caller, { name: "Agent", scopes });
  const port = await freePort();
  const startApi = () =>
    startChild(apiEntry, {
      ...installation.environment,
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: "1000000",
    });
  const completedRuns = new Set<string>();

  const workers: Child[] = [];
  let emitter: Child | undefined;
  let api: Child | undefined;
  cleanup.defer(async () => {
    stopped = true;
    await Promise.all([emitter, api, ...workers].map((child) => child?.kill()));
  });
  for (let index = 0; index < workerCount; index++) workers.push(await startWorker());
  emitter = await startEmitter();
  api = await startApi();
  const agentDone = runExternalAgent(createClient({ url: `http://127.0.0.1:${port}`, apiKey: key }), {
    automationId: automation.id,
    runs: throughApi,
    isOver: () => stopped,
    onCompleted: (runId) => completedRuns.add(runId),
  });

  /** Kills a process, records the unfinished deliveries, and starts it again. */
  const strike = {
    async worker(): Promise<void> {
      await workers.shift()?.kill();
    },
    async emitter(): Promise<void> {
      await emitter?.kill();
    },
    async api(): Promise<void> {
      await api?.kill();
    },
    async postgres(): Promise<void> {
      await installation.killPostgres();
      if (!stopped) await installation.restartPostgres();
    },
  };
  const replace = {
    worker: async () => void workers.push(await startWorker()),
    emitter: async () => {
      emitter = await startEmitter();
    },
    api: async () => {
      api = await startApi();
    },
    postgres: async () => {},
  };

  const kills: Kill[] = [];
  for (let turn = 0; !stopped && committed.size + completedRuns.size < events; turn++) {
    await delay(killEveryMs.least + Math.random() * (killEveryMs.most - killEveryMs.least));
    const victim = victims[turn % victims.length] ?? "worker";
    // The clock of the recorded outcomes.
    const at = Date.now();
    await strike[victim]();
    const stranded = await strandedAt(installation.deps, receiver.arrivals);
    kills.push({ at, ...stranded });
    console.log(
      `${String(committed.size + completedRuns.size).padStart(6)} emitted; killed ${victim.padEnd(8)} with ${stranded.pending.size} deliveries pending, ${stranded.inFlight.size} of them arrived`,
    );
    if (!stopped) await replace[victim]();
  }

  await agentDone;
  const finals = await findFinals(deps, { withinMs: finalWithinMs });
  const emitted = [...committed.values(), ...(await eventsOfRuns(deps, [...completedRuns]))];
  const found = verdict({ committed: emitted, kills, finals, arrivals: receiver.arrivals, endpoints: added });
  for (const problem of found.problems) console.error(problem);
  if (found.problems.length > 0) process.exitCode = 1;
  console.log(`${kills.length} kills, ${found.inFlight} in flight at them`);
  console.log(
    `crash-test events=${events} lost=${found.lost} duplicates=${found.duplicates} recovery_s=${found.recoverySeconds.toFixed(1)}`,
  );
});
