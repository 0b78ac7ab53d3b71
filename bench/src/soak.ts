// pnpm soak: all kinds of load for half an hour, while processes are killed, Postgres is restarted, the clock jumps and
// the disk is full for a moment. Then everything must have come to a right end, and nothing may be left over.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createAnswers } from "./soak/answers.ts";
import { bringToRest } from "./soak/at-rest.ts";
import { createCalls } from "./soak/calls.ts";
import { createDisturbances, createTimeMachine } from "./soak/disturbances.ts";
import { startFleet } from "./soak/fleet.ts";
import { createLedger } from "./soak/ledger.ts";
import { findLeftovers } from "./soak/leftovers.ts";
import { runLoad } from "./soak/load.ts";
import { createLogCheck } from "./soak/log-check.ts";
import { findOverdue } from "./soak/retention.ts";
import { startSampling } from "./soak/samples.ts";
import { createSmallDisk } from "./soak/small-disk.ts";
import { findLosses } from "./soak/verdict.ts";
import { createWorld } from "./soak/world.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { startReceiver } from "./webhooks/receiver.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { minutes: { type: "string", default: "30" } },
});
const minutes = Number(flags.minutes);
if (!(minutes > 0)) throw new Error("--minutes must be a number above 0.");
const minuteMs = 60_000;
/** In a short run each disturbance comes once; in a long one every four or five minutes. */
const disturbEveryMs = Math.min(30_000, (minutes * minuteMs) / 10);

await withCleanup(async (cleanup) => {
  const problems: string[] = [];
  const onWrong = (problem: string) => {
    if (!problems.includes(problem)) console.log(`  wrong: ${problem}`);
    problems.push(problem);
  };
  const disk = await createSmallDisk();
  cleanup.defer(disk.dispose);
  if (!disk.isOwn) console.log("No file system may be mounted here: the disk is not filled.");
  const installation = await startInstallation({
    onError: () => {},
    folder: join(disk.folder, "installation"),
    postgresSettings: { max_wal_size: "256MB", min_wal_size: "32MB", wal_recycle: "off" },
  });
  cleanup.defer(installation.dispose);
  const { deps } = installation;
  const receiver = await startReceiver();
  cleanup.defer(receiver.close);
  const world = await createWorld(installation, receiver.url);
  const logs = createLogCheck();
  const fleet = await startFleet({
    environment: {
      ...installation.environment,
      ANALYTICS_NETWORKS: "127.0.0.0/8",
      RATE_LIMIT_PER_MINUTE: "1000000",
      LOG_LEVEL: "warn",
    },
    ...logs,
  });
  cleanup.defer(fleet.killAll);
  const time = createTimeMachine({ installation, fleet });
  const disturbances = Object.entries(createDisturbances({ installation, fleet, disk, time }));
  const answers = createAnswers({ onWrong });
  const calls = createCalls(answers, fleet, world);
  const ledger = createLedger();
  const sampling = startSampling({ deps, fleet });
  cleanup.defer(sampling.stop);

  let isOver = false;
  cleanup.defer(async () => {
    isOver = true;
  });
  const load = runLoad({ calls, world, ledger, isOver: () => isOver, onWrong });
  const endsAt = performance.now() + minutes * minuteMs;
  const done = new Map<string, number>();
  for (let turn = 0; performance.now() + disturbEveryMs < endsAt && !isOver; turn++) {
    await delay(disturbEveryMs);
    const [name, disturb] = disturbances[turn % disturbances.length] ?? ["", async () => {}];
    console.log(
      `${((performance.now() + minutes * minuteMs - endsAt) / minuteMs).toFixed(1)} min, ${answers.calls()} calls, ${receiver.arrivals.length} deliveries arrived: ${name}`,
    );
    await disturb();
    done.set(name, (done.get(name) ?? 0) + 1);
  }
  await delay(Math.max(0, endsAt - performance.now()));
  isOver = true;
  await load;
  await sampling.stop();

  console.log("The load has ended: bringing everything to rest.");
  await bringToRest({ deps, calls, world, receiver, time });
  problems.push(...(await findLosses({ deps, world, ledger, arrivals: receiver.arrivals })));
  const counts = await countWork();
  problems.push(...(await findOverdue({ deps, time })), ...sampling.problems(minutes));
  problems.push(...(await findLeftovers({ deps, fleet, sampling })), ...logs.problems());

  for (const problem of new Set(problems)) console.error(`- ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  for (const [name, times] of done) console.log(`${times} times: ${name}`);
  console.log(`refusals: ${JSON.stringify(Object.fromEntries(answers.counts()))}`);
  const growth = (["api", "worker"] as const).flatMap((role) => {
    const heap = sampling.growth(role, "heap");
    const rss = sampling.growth(role, "rssBytes");
    const files = sampling.growth(role, "files");
    return [
      `${role}_heap_mb=${inMegabytes(heap.second)}..${inMegabytes(heap.last)}`,
      `${role}_rss_mb=${inMegabytes(rss.second)}..${inMegabytes(rss.last)}`,
      `${role}_files=${files.second}..${files.last}`,
    ];
  });
  const disturbed = [...done.values()].reduce((sum, times) => sum + times, 0);
  console.log(
    `soak minutes=${minutes} calls=${answers.calls()} disturbances=${disturbed} ${counts} ${growth.join(" ")} max_connections=${sampling.maxConnections()} problems=${new Set(problems).size}`,
  );

  async function countWork(): Promise<string> {
    const { rows } = await deps.db.pool.query<Record<string, number>>(`
      SELECT (SELECT count(*) FROM query_runs)::int AS query_runs,
        (SELECT count(*) FROM automation_runs)::int AS automation_runs,
        (SELECT count(*) FROM webhook_events)::int AS events,
        (SELECT count(*) FROM webhook_deliveries WHERE state = 'succeeded')::int AS delivered,
        (SELECT count(*) FROM webhook_deliveries WHERE state = 'exhausted')::int AS exhausted,
        (SELECT count(*) FROM webhook_attempts)::int AS attempts`);
    return Object.entries(rows[0] ?? {})
      .map(([name, count]) => `${name}=${count}`)
      .join(" ");
  }
});

function inMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
