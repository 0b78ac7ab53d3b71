// pnpm bench schedules: one month of a schedule of every five minutes, with a change of daylight saving time, expanded by
// three workers concurrently. Every scheduled time must fire exactly once.
import { expandSchedules } from "@querybell/core/automations";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { createBenchAutomation, createSquaresReference } from "./automations/create-automation.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const from = Date.parse("2027-02-28T23:00:00Z");
const to = Date.parse("2027-03-31T22:00:00Z");
const stepMs = 5 * 60_000;
const expected = (to - from) / stepMs;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  let now = from - 1;
  const { settings } = installation;
  const clock = { now: () => new Date(now) };
  const workers = [1, 2, 3].map(() => openDeps({ settings, clock, onError: console.error }));
  for (const worker of workers) cleanup.defer(() => closeDeps(worker));
  const [first] = workers;
  if (!first) throw new Error("There is no worker.");
  const { pool } = first.db;

  const owner = await installation.addOwner();
  const shortId = await createSquaresReference(first, owner, settings.DATABASE_URL);
  await createBenchAutomation(first, owner, {
    references: [{ shortId }],
    schedule: { cron: "*/5 * * * *", timeZone: "Europe/Berlin" },
  });
  const began = performance.now();
  let unexpected = 0;
  for (now = from; now < to; now += stepMs) {
    const moment = new Date(now).toISOString();
    await pool.query(
      `CREATE OR REPLACE FUNCTION querybell_now() RETURNS timestamptz LANGUAGE sql STABLE AS $$SELECT '${moment}'::timestamptz$$`,
    );
    const expanded = await Promise.all(workers.map((worker) => expandSchedules(worker)));
    if (expanded.reduce((sum, { triggered }) => sum + triggered, 0) !== 1) unexpected++;
    await pool.query(
      "UPDATE automation_runs SET status = 'failed', completed_at = now(), failure_code = 'stopped', failure_reason = 'stopped' WHERE status = 'pending'",
    );
  }
  const { rows } = await pool.query<{ fired: number }>(
    "SELECT count(DISTINCT scheduled_for)::int AS fired FROM automation_runs",
  );
  const fired = rows[0]?.fired ?? 0;
  if (unexpected > 0 || fired !== expected) process.exitCode = 1;
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(
    `schedules expected=${expected} fired=${fired} steps_not_once=${unexpected} seconds=${seconds}`,
  );
});
