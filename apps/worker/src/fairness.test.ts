import type { Deps } from "@querybell/core";
import { expandSchedules, triggerAutomation } from "@querybell/core/automations";
import { createInvitation } from "@querybell/core/invitations";
import { runQuery } from "@querybell/core/runs";
import type { Caller } from "@querybell/domain";
import { pino } from "pino";
import { describe, expect, vi } from "vitest";
import { automationTest } from "./testing/automation-test.ts";
import { startMailServer } from "./testing/mail-server.ts";
import { workerTest } from "./testing/worker-test.ts";
import { startWorker } from "./worker.ts";

const noValues = { parameterValues: {} };

async function untilRunning(
  { db }: Deps,
  table: "query_runs" | "automation_runs",
  { count, of }: { count: number; of: Caller },
): Promise<void> {
  const text = `SELECT count(*)::int FROM ${table} WHERE status = 'running' AND organization_id = $1`;
  const running = async () => (await db.pool.query(text, [of.organizationId])).rows[0].count;
  await vi.waitUntil(async () => (await running()) === count, { timeout: 60_000 });
}

describe("while one organization floods the worker, another's", () => {
  automationTest("query runs", async ({ deps, make, gate, end }) => {
    const [flood, quiet] = [await make.owner(), await make.owner()];
    const waiting = [];
    for (let made = 0; made < 8; made++) {
      const { id } = await make.query(flood, `SELECT ${gate.passing}, ${made}`, { engine: "postgres" });
      waiting.push(await runQuery(deps, flood, { id, ...noValues }));
    }
    // Three of the four slots: the last one is reserved for others.
    await untilRunning(deps, "query_runs", { count: 3, of: flood });
    const { id } = await make.query(quiet, "SELECT 2", { engine: "postgres" });
    const run = await runQuery(deps, quiet, { id, ...noValues });
    expect(await end(quiet, run.id)).toMatchObject({ status: "completed" });
    const states = await deps.db.prisma.queryRun.groupBy({
      by: ["status"],
      where: { organizationId: flood.organizationId },
      _count: true,
    });
    expect(Object.fromEntries(states.map(({ status, _count }) => [status, _count]))).toEqual({
      running: 3,
      pending: 5,
    });
    await gate.open();
    for (const { id: runId } of waiting)
      expect(await end(flood, runId)).toMatchObject({ status: "completed" });
  });

  automationTest(
    "automation runs, with the queries that they wait for",
    async ({ deps, make, gate, runs }) => {
      const [flood, quiet] = [await make.owner(), await make.owner()];
      const triggered = [];
      for (let made = 0; made < 12; made++) {
        const sql = `SELECT ${gate.passing}, ${made} AS made`;
        const { shortId } = await make.reference(flood, sql, { engine: "postgres" });
        const automation = await make.automation(flood, { references: [{ shortId }] });
        triggered.push(await triggerAutomation(deps, flood, automation));
      }
      await untilRunning(deps, "automation_runs", { count: 7, of: flood });
      const run = await triggerAutomation(deps, quiet, await make.automation(quiet));
      expect(await runs.end(quiet, run.id)).toMatchObject({ status: "completed" });
      await gate.open();
      for (const { id } of triggered)
        expect(await runs.end(flood, id)).toMatchObject({ status: "completed" });
    },
  );

  workerTest("mails", async ({ deps, make, settingsFor }) => {
    await using mailServer = await startMailServer();
    mailServer.pause();
    const [flood, quiet] = [await make.owner(), await make.owner()];
    for (let made = 0; made < 12; made++) {
      await createInvitation(deps, flood, { email: `flood-${made}@example.test`, role: "member" });
    }
    const settings = settingsFor({ SMTP_URL: mailServer.url });
    const worker = await startWorker({ deps, logger: pino({ level: "silent" }), settings });
    try {
      await createInvitation(deps, quiet, { email: "quiet@example.test", role: "member" });
      const sending = async () =>
        (
          await deps.db.pool.query(
            `SELECT count(*)::int FROM graphile_worker.jobs
             WHERE locked_at IS NOT NULL AND task_identifier = 'send_mail'`,
          )
        ).rows[0].count;
      await vi.waitUntil(async () => (await sending()) === 2, { timeout: 60_000 });
      mailServer.resume();
      const mails = [await mailServer.nextMail(), await mailServer.nextMail(), await mailServer.nextMail()];
      expect(mails.join()).toContain("To: quiet@example.test");
    } finally {
      await worker.stop();
    }
  });
});

workerTest("schedules are expanded for every organization in turn", async ({ deps, make, clock }) => {
  const schedule = { cron: "0 * * * *", timeZone: "UTC" };
  const [flood, quiet] = [await make.owner(), await make.owner()];
  for (const owner of [flood, flood, flood, quiet]) await make.automation(owner, { schedule });
  await clock.advance(3_600_000);
  expect(await expandSchedules(deps)).toEqual({ triggered: 4, skipped: 0 });
  const { rows } = await deps.db.pool.query(
    `SELECT organization_id FROM automation_runs WHERE organization_id = ANY($1) ORDER BY xmin::text::bigint`,
    [[flood.organizationId, quiet.organizationId]],
  );
  const [a, b] = [flood.organizationId, quiet.organizationId];
  expect(rows.map(({ organization_id }) => organization_id)).toEqual([a, b, a, a]);
});
