import type { Caller } from "@querybell/domain";
import { describe, expect, vi } from "vitest";
import { triggerAutomation } from "./automations/trigger-automation.ts";
import type { Deps } from "./deps.ts";
import { runQuery } from "./runs/run-query.ts";
import { automationTest } from "./testing/automation-test.ts";

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

describe("while one organization floods the slots, another's", () => {
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
});
