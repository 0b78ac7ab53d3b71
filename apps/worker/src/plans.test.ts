import { type EventEmitter, on } from "node:events";
import type { Deps } from "@querybell/core";
import { triggerAutomation, watchChat } from "@querybell/core/automations";
import { createKey } from "@querybell/core/keys";
import { runQuery, watchRun } from "@querybell/core/runs";
import { deliveryTest } from "@querybell/core/testing/delivery-test";
import { findFlaws, multiplyRows, recordPlans, reportPlans } from "@querybell/core/testing/plans";
import { enableEndpoint, startRecovery } from "@querybell/core/webhooks";
import { addJob } from "@querybell/db";
import { type Caller, ConditionRule, type JobName, jobs } from "@querybell/domain";
import { pino } from "pino";
import { expect } from "vitest";
import { WorkerSettings } from "./env.ts";
import { startWorker } from "./worker.ts";

const test = deliveryTest
  /** Deliveries that succeed, fail until their endpoint is disabled, are held, and are sent again. */
  .extend("deliver", { scope: "file" }, ({ deps, hooks, clock }) => async (owner: Caller) => {
    const answers = { status: 500 };
    const [accepting, failing] = await Promise.all([
      hooks.receiver((response) => response.writeHead(200).end()),
      hooks.receiver((response) => response.writeHead(answers.status).end()),
    ]);
    await hooks.endpoint(owner, accepting.url);
    const { id } = await hooks.endpoint(owner, failing.url);
    const since = clock.now().toISOString();
    const pump = await hooks.pump();
    await hooks.emitNearlyExhausted(owner, 5);
    await pump.drain();
    await hooks.emit(owner);
    await pump.drain();
    answers.status = 200;
    await enableEndpoint(deps, owner, { id, held: "deliver", perSecond: 100 });
    await pump.drain();
    await clock.advance(10_000);
    await startRecovery(deps, owner, { endpointId: id, since, perSecond: 100 });
    await pump.drain();
    await clock.advance(10_000);
    await pump.drain();
    expect(failing.requests).toHaveLength(11);
    await pump.stop();
  })
  /** What workers do, once: runs, deliveries, every job of the clock, metrics. */
  .extend("work", { scope: "file" }, ({ deps, make, hooks, settings, deliver }) => async () => {
    const owner = await hooks.owner();
    await createKey(deps, owner, { name: "Key", scopes: [] });
    const { shortId } = await make.reference(owner, "SELECT name FROM fruits");
    const automation = await make.automation(owner, {
      references: [{ shortId }],
      condition: { shortId, rule: changedRows },
      schedule: { cron: "0 9 * * *", timeZone: "UTC" },
      subscribers: [{ userId: owner.userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
    });
    const query = await make.query(owner, "SELECT name FROM fruits");
    await deliver(owner);
    const worker = await startWorker({
      deps: withPeriods(deps),
      logger: pino({ level: "silent" }),
      settings: WorkerSettings.parse({
        ...settings,
        NODE_ENV: "test",
        WORKER_PORT: 0,
        WEBHOOK_ALLOW_LOOPBACK: "1",
      }),
      pollEveryMs: 200,
    });
    try {
      const { signal } = new AbortController();
      const queryRun = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
      for await (const _ of watchRun(deps, owner, { id: queryRun.id, signal }));
      const automationRun = await triggerAutomation(deps, owner, automation);
      for await (const _ of watchChat(deps, owner, { id: automationRun.id, signal }));
      for (const name of clockJobs) {
        const success = untilSuccess(worker, name);
        await deps.db.transaction((tx) => addJob(tx, [name, {}]));
        await success;
      }
      expect((await fetch(`${worker.statusUrl}/metrics`)).status).toBe(200);
    } finally {
      await worker.stop();
    }
  });

/** Is compared with the last run, so each run stores a base. */
const changedRows = ConditionRule.parse({
  condition: { kind: "rows_changed", changes: ["entered"], key: ["name"] },
});

/** Copies of rows are up to 104 days old, so that each purge finds some that are too old. */
const withPeriods = (deps: Deps): Deps => {
  const days = 97;
  const retention = {
    webhookHistoryDays: days,
    queryRunDays: days,
    automationRunDays: days,
    notificationDays: days,
    auditDays: days,
  };
  return { ...deps, deployment: { ...deps.deployment, retention } };
};

const clockJobs = (Object.keys(jobs) as Exclude<JobName, "send_mail">[]).filter(
  (name) => "cron" in jobs[name],
);

async function untilSuccess({ events }: { events: EventEmitter }, task: string): Promise<void> {
  for await (const [{ job, error }] of on(events, "job:complete")) {
    if (job.task_identifier !== task) continue;
    if (error) throw error;
    return;
  }
}

const accepted = [
  {
    statement: 'SET "lease_owner" = NULL WHERE $1 OPERATOR(pg_catalog.=) "lease_owner"',
    flaw: "reads webhook_endpoints from end to end",
    because: "it happens once for each end of a pump, and an index would make every lease write to it",
  },
  {
    statement: "FROM webhook_endpoints WHERE state <> 'deleted'",
    flaw: "reads webhook_endpoints from end to end",
    because: "it counts all endpoints for a scrape of the metrics, and their number does not grow with time",
  },
];

/** Ends the first partition of attempts between the ages of the oldest copies and the period, so that a purge drops it. */
const endFirstPartition = `
  DO $$ BEGIN
    ALTER TABLE webhook_attempts DETACH PARTITION partitions.webhook_attempts_first;
    EXECUTE format('ALTER TABLE webhook_attempts ATTACH PARTITION partitions.webhook_attempts_first FOR VALUES FROM (MINVALUE) TO (%L)',
      lowest_id_at(now() - interval '100 days'));
  END $$`;

test("no run, delivery or job reads or sorts a growing table", async ({ deps, work, superuserUrl }) => {
  const { pool } = deps.db;
  await reportPlans(superuserUrl);
  await pool.query(endFirstPartition);
  const { plans, start } = recordPlans(pool);
  await work();
  const { growing } = await multiplyRows(superuserUrl, { rowCount: 5_000, days: 104 });
  start();
  await work();
  expect(plans.length).toBeGreaterThan(500);
  const { rows } = await pool.query("SELECT to_regclass('partitions.webhook_attempts_first') AS first");
  expect(rows, "its period has ended").toEqual([{ first: null }]);
  expect(findFlaws({ plans, growing, accepted })).toEqual([]);
});
