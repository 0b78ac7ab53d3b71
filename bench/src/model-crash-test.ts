// pnpm bench model-crash-test: 200 runs of the agent `model`, while their workers are killed again and again. Every run
// must end, with exactly one event, within its budget, and no call that had ended may be made again.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { triggerAutomation } from "@querybell/core/automations";
import { updateModel } from "@querybell/core/models";
import { type ChatRequest, startModelServer, type Turn } from "@querybell/models/testing";
import { createBenchAutomation, createSquaresReference } from "./automations/create-automation.ts";
import { type Child, startChild, workerEntry } from "./webhooks/child.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { runs: { type: "string", default: "200" } },
});
const runs = Number(flags.runs);
const workerCount = 3;
const killEveryMs = { least: 300, most: 1_500 };
const maxAnswerMs = 1_000;
const endWithinMs = 1_800_000;
const budget = { steps: 60, tokens: 100_000 };

const summary = { language: "en", text: "{{largest square result=r1}}." };

/** Goes by the turns that the model has had, so that it says the same after a takeover. */
function play({ messages }: ChatRequest): Turn {
  const [, shortId = ""] = /"shortId":"(\w+)"/.exec(JSON.stringify(messages).replaceAll("\\", "")) ?? [];
  const calls = [
    { name: "list_references", input: {} },
    { name: "run_reference", input: { shortId } },
    { name: "read_result", input: { result: "r1" } },
    { name: "run_sql", input: { shortId, title: "Two", sql: "SELECT 2 AS two" } },
    { name: "write_summary", input: summary },
  ];
  const call = calls[messages.filter(({ role }) => role === "assistant").length];
  if (!call) return { kind: "filter" };
  // So long that kills also hit answers that have begun.
  const until = delay(Math.random() * maxAnswerMs);
  return { kind: "say", pieces: ["Now ", `${call.name}.`], until, calls: [call] };
}

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: () => {} });
  cleanup.defer(installation.dispose);
  const { deps, settings } = installation;
  const environment = {
    ...installation.environment,
    ANALYTICS_NETWORKS: "127.0.0.0/8",
    // Few at a time, so that there is something to kill for long enough.
    WORKER_AUTOMATION_CONCURRENCY: "4",
  };
  const owner = await installation.addOwner();
  const server = await startModelServer(play);
  cleanup.defer(() => server[Symbol.asyncDispose]());
  const connection = { url: server.url, name: "scripted", apiKey: null };
  await updateModel(deps, owner, { connection, monthlyTokens: 1_000_000_000, consent: true });
  const shortId = await createSquaresReference(deps, owner, settings.DATABASE_URL);

  const workers: Child[] = [];
  cleanup.defer(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  const startWorker = async () => void workers.push(await startChild(workerEntry, environment));
  for (let index = 0; index < workerCount; index++) await startWorker();
  for (let index = 0; index < runs; index++) {
    const references = [{ shortId }];
    const automation = await createBenchAutomation(deps, owner, {
      references,
      agent: "model",
      allowsSql: true,
      budget,
    });
    await triggerAutomation(deps, owner, automation);
  }

  const count = async (where: string): Promise<number> => {
    const { rows } = await deps.db.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM automation_runs WHERE ${where}`,
    );
    return rows[0]?.n ?? 0;
  };
  const began = performance.now();
  let kills = 0;
  for (;;) {
    await delay(killEveryMs.least + Math.random() * (killEveryMs.most - killEveryMs.least));
    const ended = await count("completed_at IS NOT NULL");
    if (ended >= runs || performance.now() - began > endWithinMs) break;
    const running = await count("status = 'running' AND lease_until > now()");
    // With nothing in hand, a kill would prove nothing: what was left behind is waited for.
    if (running === 0) continue;
    await workers.shift()?.kill();
    kills++;
    console.log(`${String(ended).padStart(5)} ended; killed a worker while ${running} runs were in hand`);
    await startWorker();
  }

  const { rows } = await deps.db.pool.query<Record<string, number>>(
    `SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'completed')::int AS completed,
      count(*) FILTER (WHERE status = 'failed' AND failure_code <> 'worker_lost')::int AS failed,
      count(*) FILTER (WHERE failure_code = 'worker_lost')::int AS worker_lost,
      count(*) FILTER (WHERE lease_number > 1)::int AS taken_over,
      count(*) FILTER (WHERE (SELECT count(*) FROM webhook_events e WHERE e.dedupe_key = 'automation_run:' || r.id) <> 1)::int AS not_one_event,
      count(*) FILTER (WHERE input_tokens + output_tokens > $1)::int AS over_budget,
      count(*) FILTER (WHERE status = 'completed' AND (SELECT array_agg(tool ORDER BY position) FROM automation_steps s
        WHERE s.run_id = r.id AND tool IS NOT NULL) <> '{list_references,run_query,read_result,run_sql,write_summary}')::int AS odd_calls,
      (SELECT count(*)::int FROM (SELECT FROM query_runs WHERE status = 'completed'
        GROUP BY trigger_id, rendered_sql HAVING count(*) > 1) again) AS queries_again
    FROM automation_runs r`,
    [budget.tokens],
  );
  const found = rows[0] ?? {};
  const ended = (found.completed ?? 0) + (found.worker_lost ?? 0);
  const none = ["failed", "not_one_event", "over_budget", "odd_calls", "queries_again"];
  if (found.runs !== runs || ended !== runs || none.some((name) => found[name] !== 0)) process.exitCode = 1;
  console.log(`${kills} kills in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const figures = Object.entries(found).map(([name, n]) => `${name}=${n}`);
  console.log(`model-crash-test ${figures.join(" ")}`);
});
