import { createEndpoint } from "@querybell/core/webhooks";
import { ConditionRule, CreateWebhookEndpoint } from "@querybell/domain";
import { monotonicMs } from "../measuring/measuring.ts";
import { startChild, workerEntry } from "../webhooks/child.ts";
import type { Installation } from "../webhooks/installation.ts";
import { startReceiverProcess } from "../webhooks/receiver-messages.ts";
import { createBenchAutomation, createOwnDatabase, createSquares } from "./create-automation.ts";

const organizations = 10;
const minuteMs = 60_000;
/** The worker must be ready before the digests fall due. */
const leastLeadMs = 5_000;

interface AtNine {
  cleanup: AsyncDisposableStack;
  digests: number;
  /** Whether each has a condition, which its run is judged by. */
  haveConditions: boolean;
}

const sumIs = (is: object) => ({ kind: "figure", figure: { operation: "sum", column: "square" }, is });

/** Compares with a value and with the last run, so each run also stores what the next one is compared with. */
const rule = ConditionRule.parse({
  condition: {
    kind: "any",
    conditions: [
      sumIs({ operator: "more", to: { kind: "value", value: "1" } }),
      sumIs({ operator: "less", to: { kind: "last_run" } }),
    ],
  },
});

/** Seconds from the minute at which all digests fall due until the webhook of the last has arrived. */
export async function measureAtNine(
  installation: Installation,
  { cleanup, digests, haveConditions }: AtNine,
): Promise<number> {
  const { deps, settings, environment } = installation;
  const receiver = await startReceiverProcess();
  cleanup.defer(receiver.kill);
  const ids: string[] = [];
  for (let organization = 0; organization < organizations; organization++) {
    const owner = await installation.addOwner();
    const endpoint = { url: receiver.url, eventTypes: ["automation.run.completed", "automation.run.failed"] };
    await createEndpoint(deps, owner, CreateWebhookEndpoint.parse(endpoint));
    const databaseId = await createOwnDatabase(deps, owner, settings.DATABASE_URL);
    for (let index = organization; index < digests; index += organizations) {
      const shortId = await createSquares(deps, owner, databaseId);
      const { id } = await createBenchAutomation(deps, owner, {
        references: [{ shortId }],
        ...(haveConditions && { condition: { shortId, rule } }),
      });
      ids.push(id);
    }
  }
  const worker = await startChild(workerEntry, { ...environment, ANALYTICS_NETWORKS: "127.0.0.0/8" });
  cleanup.defer(worker.kill);
  const now = Date.now();
  const dueAt = Math.ceil((now + leastLeadMs) / minuteMs) * minuteMs;
  const dueMs = monotonicMs() + dueAt - now;
  await deps.db.pool.query(
    `UPDATE automations SET schedule = '{"cron": "0 9 * * *", "timeZone": "UTC"}', next_run_at = $2 WHERE id = ANY($1::uuid[])`,
    [ids, new Date(dueAt)],
  );
  await deps.db.pool.query("SELECT pg_stat_statements_reset()");
  await receiver.arrived(digests);
  const seconds = (monotonicMs() - dueMs) / 1000;
  const { rows } = await deps.db.pool.query<{ statements: number; completed: number; judged: number }>(
    `SELECT sum(calls)::int AS statements,
       (SELECT count(*)::int FROM automation_condition_judgements WHERE automation_id = ANY($1::uuid[])) AS judged,
       (SELECT count(*)::int FROM automation_runs WHERE automation_id = ANY($1::uuid[]) AND status = 'completed') AS completed
     FROM pg_stat_statements`,
    [ids],
  );
  const { statements = 0, completed = 0, judged = 0 } = rows[0] ?? {};
  console.log(
    `${digests} digests${haveConditions ? " with conditions" : ""} due at once: ${completed} completed, the last webhook after ${seconds.toFixed(1)} s, ${(statements / digests).toFixed(1)} statements a digest`,
  );
  await worker.stop();
  if (completed !== digests)
    throw new Error(`${digests - completed} digests failed: their time says nothing.`);
  if (haveConditions && judged !== digests) throw new Error(`Only ${judged} of ${digests} runs were judged.`);
  return seconds;
}
