import { type Caller, maxQueuedRuns, newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import { updateQuery } from "../../queries/index.ts";
import { cancelRun, runQuery } from "../../runs/index.ts";
import { automationTest, isRunning } from "../../testing/automation-test.ts";
import { endless } from "../../testing/endless.ts";
import type { AutomationFactories } from "../../testing/index.ts";
import { deleteAutomation, getAutomation, stopAutomationRun, triggerAutomation } from "../index.ts";

// Queries are stopped on purpose here, and a host that does not stop in time is killed.
const test = automationTest.extend("onError", { scope: "file" }, () => () => {});
const noValues = { parameterValues: {} };
const stopped = { status: "failed", failure: { code: "stopped", reason: "stopped" } };

async function makeEndless(
  make: AutomationFactories,
  owner: Caller,
  settings: Parameters<AutomationFactories["automation"]>[1] = {},
) {
  const { shortId, currentQuery } = await make.reference(owner, endless.duckdb);
  const automation = await make.automation(owner, { references: [{ shortId }], ...settings });
  return { automation, queryId: currentQuery?.id ?? "" };
}

describe("runs of one automation", () => {
  test("go on one at a time, in their order", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const automation = await make.automation(owner);
    const triggered: string[] = [];
    for (let index = 0; index < 4; index++) {
      triggered.push((await triggerAutomation(deps, owner, automation)).id);
    }
    for (const id of triggered) expect(await runs.end(owner, id)).toMatchObject({ status: "completed" });
    const events = await runs.events(owner);
    expect(events.map(({ data }) => data.runId)).toEqual(triggered);
    const rows = await deps.db.prisma.automationRun.findMany({ where: { automationId: automation.id } });
    expect(rows.map(({ leaseNumber }) => leaseNumber)).toEqual([1, 1, 1, 1]);
  });

  test("are queued up to a limit, or refused, as the automation says", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    for (const [whenBusy, allowed] of [
      ["queue", 1 + maxQueuedRuns],
      ["refuse", 1],
    ] as const) {
      const { shortId } = await make.reference(owner, endless.duckdb);
      const automation = await make.automation(owner, { whenBusy, references: [{ shortId }] });
      const triggered = [];
      for (let index = 0; index < allowed; index++)
        triggered.push(await triggerAutomation(deps, owner, automation));
      await expect(triggerAutomation(deps, owner, automation)).rejects.toMatchObject({
        code: "automation_busy",
      });
      expect(triggered.map(({ isQueued }) => isQueued)).toEqual(triggered.map((_, index) => index > 0));
      await deleteAutomation(deps, owner, automation);
      for (const { id } of triggered) expect(await runs.end(owner, id)).toMatchObject(stopped);
    }
    const told = (await runs.events(owner)).map(({ type, data }) => [type, data.reason]);
    expect(told).toEqual(
      Array.from({ length: 2 + maxQueuedRuns }, () => ["automation.run.failed", "stopped"]),
    );
  });

  test("are refused while it is paused, unless asked for, which leaves it paused", async ({ deps, make }) => {
    const owner = await make.owner();
    const schedule = { cron: "0 9 * * *", timeZone: "UTC" };
    const { id } = await make.automation(owner, { enabled: false, schedule });
    await expect(triggerAutomation(deps, owner, { id })).rejects.toMatchObject({
      code: "automation_paused",
    });
    const run = await triggerAutomation(deps, owner, { id, whilePaused: true });
    expect(run).toMatchObject({ automationId: id, status: "pending" });
    expect(await getAutomation(deps, owner, { id })).toMatchObject({ enabled: false, nextRunAt: null });
    await stopAutomationRun(deps, owner, run);
  });
});

describe("a run that is stopped", () => {
  test("has failed at once, cancels its query, and the next one starts", async ({
    deps,
    make,
    runs,
    end,
  }) => {
    const owner = await make.owner();
    const { automation, queryId } = await makeEndless(make, owner);
    const first = await triggerAutomation(deps, owner, automation);
    const second = await triggerAutomation(deps, owner, automation);
    const third = await triggerAutomation(deps, owner, automation);
    const queryRunId = await runs.queryRunOf(owner, first.id);
    expect(await stopAutomationRun(deps, owner, third)).toMatchObject(stopped);
    expect(await stopAutomationRun(deps, owner, first)).toMatchObject(stopped);
    expect(await end(owner, queryRunId)).toMatchObject({ failure: { code: "cancelled" } });
    expect((await runs.steps(owner, first.id)).at(-1)).toMatchObject({ tool: "run_query", state: "failed" });
    expect(await runs.until(owner, second.id, isRunning)).toMatchObject({ status: "running" });
    expect(await stopAutomationRun(deps, owner, second)).toMatchObject(stopped);
    // What has ended stays as it is.
    expect(await stopAutomationRun(deps, owner, second)).toMatchObject(stopped);
    expect(await runs.events(owner)).toHaveLength(3);
    await runs.settled(owner, queryId);
  });

  test("by its time limit says so", async ({ deps, make, runs, clock }) => {
    const owner = await make.owner();
    const { automation, queryId } = await makeEndless(make, owner, { timeLimitSeconds: 60 });
    const { id } = await triggerAutomation(deps, owner, automation);
    await runs.queryRunOf(owner, id);
    await clock.advance(60_000);
    expect(await runs.end(owner, id)).toMatchObject({
      status: "failed",
      failure: { code: "time_limit", reason: expect.stringContaining("time limit") },
    });
    expect(await runs.events(owner)).toHaveLength(1);
    await runs.settled(owner, queryId);
  });
});

describe("a query that others run, too", () => {
  test("is joined, and started again when its run is cancelled", async ({ deps, make, runs, watch }) => {
    const owner = await make.owner();
    const { automation, queryId } = await makeEndless(make, owner);
    const theirs = await runQuery(deps, owner, { id: queryId, ...noValues });
    await watch(owner, theirs.id, isRunning);
    const { id } = await triggerAutomation(deps, owner, automation);
    expect(await runs.queryRunOf(owner, id)).toBe(theirs.id);
    await cancelRun(deps, owner, theirs);
    const own = await runs.queryRunOf(owner, id, theirs.id);
    expect(own).not.toBe(theirs.id);
    // The same when it is the automation's own run, and when a user edits the query.
    await cancelRun(deps, owner, { id: own });
    const second = await runs.queryRunOf(owner, id, own);
    await updateQuery(deps, owner, { id: queryId, sql: `${endless.duckdb} -- edited` });
    await runs.queryRunOf(owner, id, second);
    await stopAutomationRun(deps, owner, { id });
    await runs.settled(owner, queryId);
  });
});

test("a query whose equal run is being cancelled is run when that one has ended", async ({
  deps,
  make,
  runs,
  watch,
}) => {
  const owner = await make.owner();
  const { shortId, currentQuery } = await make.reference(owner, "SELECT 1 AS one");
  const queryId = currentQuery?.id ?? "";
  const theirs = await runQuery(deps, owner, { id: queryId, ...noValues });
  await watch(owner, theirs.id);
  const automation = await make.automation(owner, { references: [{ shortId }] });
  // As if a worker still executed another one, and the engine had not stopped it yet.
  const id = newId(deps.clock);
  await deps.db.pool.query(
    `INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
       parameter_values_hash, rendered_sql, created_at)
     SELECT $2, organization_id, query_id, trigger_id, parameter_values, parameter_types, parameter_values_hash,
       rendered_sql, created_at FROM query_runs WHERE id = $1`,
    [theirs.id, id],
  );
  await deps.db.pool.query(
    `UPDATE query_runs SET status = 'running', cancel_requested_at = now(), lease_worker = 'other',
       lease_until = now() + interval '1 hour' WHERE id = $1`,
    [id],
  );
  const run = await triggerAutomation(deps, owner, automation);
  await runs.until(owner, run.id, isRunning);
  await deps.db.pool.query(
    `UPDATE query_runs SET status = 'failed', completed_at = now(), failure_code = 'cancelled', failure_reason = 'x'
     WHERE id = $1`,
    [id],
  );
  expect(await runs.end(owner, run.id)).toMatchObject({ status: "completed" });
  expect(await runs.queryRunOf(owner, run.id)).not.toBe(id);
});
