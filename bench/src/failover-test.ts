// pnpm failover-test: the primary ends under a steady load, and its standby is promoted. Two apis behind a proxy, two
// workers. Checks that everything that was confirmed is there and arrived, that no answer was wrong, counts the errors,
// and says what stopped for how long.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { systemClock } from "@querybell/domain";
import { type EmbeddedPostgres, withConnection } from "@querybell/embedded-postgres";
import { createCertificates } from "./availability/certificates.ts";
import { findLosses } from "./availability/losses.ts";
import { openMovingAddress, withAddress } from "./availability/moving-address.ts";
import { startPooler } from "./availability/pooler.ts";
import { describeGaps, report } from "./availability/report.ts";
import { forgoStandby, replicationSettings, startStandby } from "./availability/standby.ts";
import { startWorld } from "./availability/world.ts";
import { killServer, signalServer, startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    /**
     * What ends: the primary is killed, stopped in order, or frozen, so that its connections stay open and silent. Or its
     * only standby is killed.
     */
    end: { type: "string", default: "kill" },
    /** How often. The server that was promoted is the next primary, and gets a new standby. */
    rounds: { type: "string", default: "1" },
    /** Whether the primary waits for the standby: synchronous or asynchronous. */
    replication: { type: "string", default: "synchronous" },
    /** For how many seconds before the end the standby receives nothing, as over a slow network. */
    lag: { type: "string", default: "0" },
    /** How many seconds pass until somebody acts. */
    notice: { type: "string", default: "3" },
    /** Seconds of load before the end, and after everything works again. */
    seconds: { type: "string", default: "10" },
    /** Where connections go first: to the standby before it is promoted, or only after. */
    move: { type: "string", default: "after" },
    /** What is between the processes and Postgres: nothing, or PgBouncer in session mode. */
    pooler: { type: "boolean", default: false },
    /** Connects with sslmode=verify-full. */
    tls: { type: "boolean", default: false },
  },
});
const isSynchronous = flags.replication === "synchronous";
const loadMs = Number(flags.seconds) * 1000;
const lagMs = Number(flags.lag) * 1000;
const noticeMs = Number(flags.notice) * 1000;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: () => {}, postgresSettings: replicationSettings });
  cleanup.defer(installation.dispose);
  let primary: EmbeddedPostgres = installation.server();
  const account = await stat(join(primary.serverFolder, "data"));
  const certificates = await createCertificates(account);
  cleanup.defer(certificates.remove);
  await withConnection(primary.superuserUrl, async (client) => {
    for (const [name, value] of Object.entries(certificates.settings))
      await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await client.query("SELECT pg_reload_conf()");
  });
  const address = await openMovingAddress(primary.port);
  cleanup.defer(address.close);
  const tls = { sslmode: "verify-full", sslrootcert: certificates.authority };
  let databaseUrl = withAddress(primary.url, address.port, flags.tls ? tls : {});
  if (flags.pooler) {
    const pooler = await startPooler({
      url: withAddress(primary.url, address.port),
      mode: "session",
      account,
    });
    cleanup.defer(pooler.stop);
    databaseUrl = pooler.url;
  }
  const prepareStandby = async () => {
    const replication = await openMovingAddress(primary.port);
    cleanup.defer(replication.close);
    const standby = await startStandby(primary, { isSynchronous, sourcePort: replication.port });
    cleanup.defer(standby.dispose);
    console.log(`A ${flags.replication} standby, made with ${standby.madeBy}.`);
    return { standby, replication };
  };
  let { standby, replication } = await prepareStandby();
  const { receiver, load, log } = await startWorld(cleanup, { installation, databaseUrl });
  const { seen } = load;

  for (let round = 1; round <= Number(flags.rounds); round++) {
    if (round > 1) ({ standby, replication } = await prepareStandby());
    await delay(loadMs);
    if (lagMs > 0) {
      replication.hold();
      await delay(lagMs);
    }
    const endedAt = performance.now();
    const old = primary;
    if (flags.end === "kill") await killServer(primary);
    else if (flags.end === "stop") await primary.stop();
    else if (flags.end === "freeze") await signalServer(primary, "SIGSTOP");
    else if (flags.end === "standby") await killServer(standby);
    else throw new Error("--end must be kill, stop, freeze or standby.");
    const stoppedIn = performance.now() - endedAt;
    if (flags.move === "before") address.moveTo(standby.port);
    await delay(noticeMs);
    const actedAt = performance.now();
    if (flags.end === "standby") {
      await forgoStandby(primary.superuserUrl);
    } else {
      replication.moveTo(0);
      await standby.promote();
      if (flags.move === "after") address.moveTo(standby.port);
      primary = standby;
    }
    const doneAt = performance.now();
    await recovered(seen.successes);
    const recoveredAt = performance.now();
    await delay(loadMs);
    if (flags.end === "freeze") await killServer(old);
    console.log(
      `Round ${round}: ended in ${seconds(stoppedIn)}, then ${flags.notice} s until noticed, then ${flags.end === "standby" ? "given up" : "promoted"} in ${seconds(doneAt - actedAt)}, all works ${seconds(recoveredAt - doneAt)} later. Longest gap: ${describeGaps(seen, endedAt, performance.now())}`,
    );
  }
  await load.stop();

  const deps = openDeps({
    settings: { ...installation.settings, DATABASE_URL: primary.url },
    clock: systemClock,
    onError: () => {},
  });
  cleanup.defer(() => closeDeps(deps));
  const line = report(await findLosses(deps, seen, receiver.arrivals), seen, log);
  console.log(
    `failover-test end=${flags.end} replication=${flags.replication} lag=${flags.lag} rounds=${flags.rounds} pooler=${flags.pooler} tls=${flags.tls} ${line}`,
  );
});

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Until each kind of call has succeeded three times from now on. */
async function recovered(successes: Record<string, number[]>): Promise<void> {
  const enough = Object.values(successes).map((times) => ({ times, count: times.length + 3 }));
  const deadline = performance.now() + 120_000;
  while (enough.some(({ times, count }) => times.length < count)) {
    if (performance.now() > deadline) throw new Error("It does not work again after two minutes.");
    await delay(50);
  }
}
