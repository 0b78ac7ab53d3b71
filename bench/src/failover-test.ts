// pnpm failover-test: a standby is promoted while apis and workers run under a steady load; then the same behind PgBouncer.
// Checks that every confirmed event arrived and that every confirmed run ended, and says what stopped for how long.
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createKey } from "@querybell/core/keys";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { createQuery } from "@querybell/core/queries";
import { systemClock } from "@querybell/domain";
import { freePort, withConnection } from "@querybell/embedded-postgres";
import { createOwnDatabase } from "./automations/create-automation.ts";
import { createCertificates } from "./failover/certificates.ts";
import { longestGap, runCalls } from "./failover/load.ts";
import { openMovingAddress, withPort } from "./failover/moving-address.ts";
import { startPooler } from "./failover/pooler.ts";
import { replicationSettings, startStandby } from "./failover/standby.ts";
import { apiEntry, type Child, startChild, workerEntry } from "./webhooks/child.ts";
import { findFinals, strandedAt, verdict } from "./webhooks/crash-evidence.ts";
import { Emitted, emitterEntry } from "./webhooks/emit-request.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { startReceiver } from "./webhooks/receiver.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    /** How long there is load, before and after the failover together. */
    seconds: { type: "string", default: "30" },
    events: { type: "string", default: "1500" },
    /** What happens to the primary: kill, or an orderly stop. */
    end: { type: "string", default: "kill" },
    /** Whether the primary waits for the standby. */
    replication: { type: "string", default: "synchronous" },
    /** How long nobody notices, in seconds: the time that a monitor takes to decide. */
    notice: { type: "string", default: "3" },
    /** What is between the processes and Postgres: nothing, or PgBouncer. */
    pooler: { type: "string", default: "none" },
    tls: { type: "boolean", default: false },
    /** Only tries what is refused: PgBouncer in transaction mode, and a certificate of another authority. */
    refusals: { type: "boolean", default: false },
  },
});
const seconds = Number(flags.seconds);
const events = Number(flags.events);
const noticeMs = Number(flags.notice) * 1000;
const endpointCount = 20;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: () => {}, postgresSettings: replicationSettings });
  cleanup.defer(installation.dispose);
  const serverFolder = await readServerFolder(installation.superuserUrl);
  const { uid, gid } = await stat(join(serverFolder, "data"));
  const account = { uid, gid };
  const certificates = await createCertificates(account);
  cleanup.defer(() => rm(certificates.folder, { recursive: true, force: true }));
  await withConnection(installation.superuserUrl, async (client) => {
    for (const [name, value] of Object.entries(certificates.settings))
      await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await client.query("SELECT pg_reload_conf()");
  });
  const primaryUrl = installation.settings.DATABASE_URL;
  const address = await openMovingAddress(Number(new URL(primaryUrl).port));
  cleanup.defer(address.close);
  const encrypted = (authority: string) => ({ sslmode: "verify-full", sslrootcert: authority });

  if (flags.refusals) {
    const pooler = await startPooler({ url: primaryUrl, mode: "transaction", account });
    cleanup.defer(pooler.stop);
    const other = withPort(primaryUrl, address.port, encrypted(certificates.otherAuthority));
    for (const [name, url] of Object.entries({
      "PgBouncer in transaction mode": pooler.url,
      "another authority": other,
    })) {
      for (const [app, entry] of Object.entries({ api: apiEntry, worker: workerEntry }))
        console.log(
          `${name}, ${app}: ${await startAndRead(entry, { ...installation.environment, DATABASE_URL: url, PORT: String(await freePort()) })}`,
        );
    }
    return;
  }

  const moved = withPort(primaryUrl, address.port, flags.tls ? encrypted(certificates.authority) : {});
  let productUrl = moved;
  if (flags.pooler !== "none") {
    const pooler = await startPooler({
      ...{ url: withPort(primaryUrl, address.port), mode: "session" as const, account },
    });
    cleanup.defer(pooler.stop);
    productUrl = pooler.url;
  }
  const isSynchronous = flags.replication === "synchronous";
  const standby = await startStandby(
    { superuserUrl: installation.superuserUrl, serverFolder },
    { isSynchronous, settings: certificates.settings },
  );
  cleanup.defer(standby.dispose);
  console.log(`A standby, made with ${standby.madeBy}, ${isSynchronous ? "synchronous" : "asynchronous"}.`);

  const receiver = await startReceiver();
  cleanup.defer(receiver.close);
  const added = await installation.addEndpoints(
    Array.from({ length: endpointCount }, (_, index) => `${receiver.url}/${index}`),
  );
  const [{ caller } = { caller: undefined }] = added;
  if (!caller) throw new Error("There is no endpoint.");
  const databaseId = await createOwnDatabase(installation.deps, caller, withPort(primaryUrl, address.port));
  const { id: queryId } = await createQuery(installation.deps, caller, {
    ...{ sql: "SELECT 1 AS one", analyticalDatabaseConfigId: databaseId },
  });
  const { key } = await createKey(installation.deps, caller, {
    ...{ name: "Load", scopes: ["queries:read", "queries:run"] },
  });

  const environment = {
    ...installation.environment,
    ...{ DATABASE_URL: productUrl, ANALYTICS_NETWORKS: "127.0.0.0/8", LOG_LEVEL: "fatal" },
    RATE_LIMIT_PER_MINUTE: "1000000",
  };
  const ports = [await freePort(), await freePort()];
  const children: Child[] = [];
  let isOver = false;
  cleanup.defer(async () => {
    isOver = true;
    await Promise.all(children.map((child) => child.kill()));
  });
  for (const port of ports) {
    children.push(await startChild(apiEntry, { ...environment, PORT: String(port) }));
    children.push(await startChild(workerEntry, environment));
  }
  const emitter = await startChild(emitterEntry, environment);
  children.push(emitter);
  const committed = new Map<number, string | undefined>();
  const commits: number[] = [];
  emitter.onMessage((message) => {
    const { numbers, ids } = Emitted.parse(message);
    for (const [index, number] of numbers.entries()) committed.set(number, ids[index]);
    commits.push(performance.now());
  });
  const arrivals: number[] = [];
  receiver.onArrival(() => arrivals.push(performance.now()));
  emitter.send({
    organizationIds: added.map(({ organizationId }) => organizationId),
    numbers: Array.from({ length: events }, (_, number) => number),
    ...{ concurrency: 4, batchSize: 1, perSecond: events / seconds, report: true },
  });
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const calling = runCalls({ urls, apiKey: key, queryId, isOver: () => isOver });

  await delay((seconds * 1000) / 3);
  const at = Date.now();
  const endedAt = performance.now();
  const stranded = await strandedAt(installation.deps, receiver.arrivals);
  if (flags.end === "kill") await installation.killPostgres();
  else await installation.stopPostgres();
  console.log(`The primary ended after ${((performance.now() - endedAt) / 1000).toFixed(1)} s.`);
  await delay(noticeMs);
  const promotingAt = performance.now();
  await standby.promote();
  address.moveTo(standby.port);
  const promotedAt = performance.now();
  console.log(`Promoted in ${((promotedAt - promotingAt) / 1000).toFixed(1)} s.`);

  while (committed.size < events) await delay(100);
  await delay(1_000);
  isOver = true;
  const seen = await calling;
  const deps = openDeps({
    settings: { ...installation.settings, DATABASE_URL: withPort(primaryUrl, standby.port) },
    clock: systemClock,
    onError: () => {},
  });
  cleanup.defer(() => closeDeps(deps));
  const finals = await findFinals(deps, { withinMs: 60_000 });
  const found = verdict({
    committed: [...committed.values()],
    kills: [{ at, ...stranded }],
    finals,
    arrivals: receiver.arrivals,
    endpoints: added,
  });
  const { rows: runs } = await deps.db.pool.query<{ id: string; status: string }>(
    "SELECT id, status FROM query_runs WHERE id = ANY($1)",
    [[...seen.runs]],
  );
  const lostRuns = seen.runs.size - runs.length;
  const unended = runs.filter(({ status }) => status !== "completed" && status !== "failed").length;
  const now = performance.now();
  const after = (times: number[]) =>
    ((times.find((time) => time > promotedAt) ?? Number.NaN) - promotedAt) / 1000;
  console.log(`calls: ${seen.answers} answered; errors: ${JSON.stringify(Object.fromEntries(seen.errors))}`);
  console.log(
    `longest gap, with ${flags.notice} s until noticed: calls ${longestGap(seen.successes, endedAt, now).toFixed(1)} s, commits ${longestGap(commits, endedAt, now).toFixed(1)} s, deliveries ${longestGap(arrivals, endedAt, now).toFixed(1)} s`,
  );
  console.log(
    `first success after the promotion: call ${after(seen.successes).toFixed(1)} s, commit ${after(commits).toFixed(1)} s, delivery ${after(arrivals).toFixed(1)} s`,
  );
  for (const problem of found.problems) console.log(problem);
  const isGood = found.lost === 0 && lostRuns === 0;
  if (isSynchronous && !isGood) process.exitCode = 1;
  console.log(
    `failover-test end=${flags.end} replication=${flags.replication} pooler=${flags.pooler} tls=${flags.tls} events=${events} lost=${found.lost} duplicates=${found.duplicates} runs=${seen.runs.size} lost_runs=${lostRuns} unended_runs=${unended}`,
  );
});

/** The folder above the data folder. */
function readServerFolder(superuserUrl: string): Promise<string> {
  return withConnection(superuserUrl, async (client) => {
    const text = "SELECT current_setting('data_directory') AS folder";
    const { rows } = await client.query<{ folder: string }>(text);
    return join(rows[0]?.folder ?? "", "..");
  });
}

/** Starts a process that is expected to end at once, and returns its last words. */
async function startAndRead(entry: URL, environment: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const output = {
    onLine: (line: string) => lines.push(line),
    onErrorLine: (line: string) => lines.push(line),
  };
  try {
    const child = await startChild(entry, environment, output);
    await child.kill();
    return "it started";
  } catch {
    return lines.at(-1) ?? "it ended without a word";
  }
}
