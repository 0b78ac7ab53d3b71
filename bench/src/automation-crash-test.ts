// pnpm bench automation-crash-test: a thousand automation runs while their workers are killed repeatedly.
// Every run must end, with exactly one event, and with no step twice in its transcript.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { triggerAutomation } from "@querybell/core/automations";
import type { Automation } from "@querybell/domain";
import { createBenchAutomation, createSquaresReference } from "./automations/create-automation.ts";
import { type Child, startChild, workerEntry } from "./webhooks/child.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { runs: { type: "string", default: "1000" }, automations: { type: "string", default: "100" } },
});
const runs = Number(flags.runs);
const automationCount = Number(flags.automations);
const workerCount = 3;
const killEveryMs = { least: 500, most: 2_500 };
const endWithinMs = 1_800_000;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: () => {} });
  cleanup.defer(installation.dispose);
  const { deps, settings } = installation;
  const environment = { ...installation.environment, ANALYTICS_NETWORKS: "127.0.0.0/8" };
  const owner = await installation.addOwner();
  const references = [];
  for (let index = 0; index < 3; index++)
    references.push({ shortId: await createSquaresReference(deps, owner, settings.DATABASE_URL) });
  const automations: Automation[] = [];
  for (let index = 0; index < automationCount; index++)
    automations.push(await createBenchAutomation(deps, owner, { references }));

  const workers: Child[] = [];
  cleanup.defer(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  const startWorker = async () => void workers.push(await startChild(workerEntry, environment));
  for (let index = 0; index < workerCount; index++) await startWorker();

  // Ten runs of each automation: one is ready, the others are queued.
  let triggered = 0;
  const triggering = (async () => {
    for (; triggered < runs; triggered++) {
      const automation = automations[triggered % automationCount];
      if (automation) await triggerAutomation(deps, owner, automation);
    }
  })();

  const count = async (where: string): Promise<number> => {
    const { rows } = await deps.db.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM automation_runs WHERE ${where}`,
    );
    return rows[0]?.n ?? 0;
  };
  const began = performance.now();
  let kills = 0;
  let inHand = 0;
  for (;;) {
    await delay(killEveryMs.least + Math.random() * (killEveryMs.most - killEveryMs.least));
    const ended = await count("completed_at IS NOT NULL");
    if (ended >= runs || performance.now() - began > endWithinMs) break;
    const running = await count("status = 'running' AND lease_until > now()");
    // Waits until the worker has claimed runs, because killing an idle worker would test nothing.
    if (running === 0) continue;
    await workers.shift()?.kill();
    kills++;
    inHand += running;
    console.log(`${String(ended).padStart(5)} ended; killed a worker while ${running} runs were in hand`);
    await startWorker();
  }
  await triggering;

  const { rows } = await deps.db.pool.query<Record<string, number>>(`
    SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'completed')::int AS completed,
      count(*) FILTER (WHERE status = 'failed')::int AS failed, count(*) FILTER (WHERE lease_number > 1)::int AS taken_over,
      (SELECT count(*)::int FROM webhook_events) AS events,
      count(*) FILTER (WHERE (SELECT count(*) FROM webhook_events e WHERE e.dedupe_key = 'automation_run:' || r.id) <> 1)::int AS not_one_event,
      (SELECT count(*)::int FROM (SELECT run_id, coalesce(input->>'shortId', name) FROM automation_steps
        GROUP BY 1, 2 HAVING count(*) > 1) twice) AS steps_twice,
      count(*) FILTER (WHERE status = 'completed' AND (SELECT count(*) FROM automation_steps s WHERE s.run_id = r.id) <> 6)::int AS odd_transcripts,
      (SELECT count(*)::int FROM (SELECT trigger_id, query_id FROM query_runs WHERE status = 'completed'
        GROUP BY 1, 2 HAVING count(*) > 1) again) AS queries_again
    FROM automation_runs r`);
  const found = rows[0] ?? {};
  const isGood =
    found.runs === runs &&
    (found.completed ?? 0) + (found.failed ?? 0) === runs &&
    found.events === runs &&
    ["not_one_event", "steps_twice", "odd_transcripts", "queries_again"].every((name) => found[name] === 0);
  if (!isGood) process.exitCode = 1;
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${kills} kills with ${inHand} runs in hand, in ${seconds} s`);
  console.log(
    `automation-crash-test ${Object.entries(found)
      .map(([name, n]) => `${name}=${n}`)
      .join(" ")}`,
  );
});
