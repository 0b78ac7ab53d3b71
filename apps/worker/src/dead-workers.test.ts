import { triggerAutomation } from "@querybell/core/automations";
import { cancelRun, executeRun, getRun, refreshQuery, runQuery } from "@querybell/core/runs";
import { claimOneAutomationRun, claimOneQueryRun, listenForNotices } from "@querybell/core/testing";
import { countEndless, endless } from "@querybell/core/testing/endless";
import type { Caller } from "@querybell/domain";
import { clusterStartMs, hasTrino } from "@querybell/engines/testing/trino";
import { pino } from "pino";
import { describe, expect, vi } from "vitest";
import { workerTest } from "./testing/worker-test.ts";
import { startWorker } from "./worker.ts";

// Runs are stopped on purpose here, and a host that does not stop in time is killed.
const test = workerTest.extend("onError", { scope: "file" }, () => () => {});
const logger = pino({ level: "silent" });
const noValues = { parameterValues: {} };
const isRunning = ({ status }: { status: string }) => status === "running";

describe("when a worker is killed in the middle of runs", () => {
  test("every run ends, on every engine, and no query stays blocked", { timeout: clusterStartMs }, async ({
    deps,
    make,
    startProcess,
    settingsFor,
    gate,
    watch,
    end,
  }) => {
    const owner = await make.owner();
    const limits = { timeMs: 2000 };
    const gated = await make.query(owner, `SELECT ${gate.passing}, 7`, { engine: "postgres" });
    const runs: [caller: Caller, query: { id: string }, ending: string][] = [
      [owner, await make.query(owner, endless.duckdb, { limits }), "query_timeout"],
      [owner, await make.query(owner, endless.postgres, { limits, engine: "postgres" }), "query_timeout"],
      [owner, gated, "completed"],
    ];
    // The last slot is reserved for another organization.
    const other = await make.owner();
    if (hasTrino)
      runs.push([other, await make.query(other, endless.trino, { engine: "trino" }), "cancelled"]);
    const killed = await startProcess();
    const started = await Promise.all(
      runs.map(async ([caller, { id }]) => ({
        caller,
        runId: (await runQuery(deps, caller, { id, ...noValues })).id,
      })),
    );
    for (const { caller, runId } of started) await watch(caller, runId, isRunning);
    if (hasTrino) {
      await vi.waitFor(async () => expect(await countEndless(deps, "trino")).toBe(1), { timeout: 60_000 });
    }
    await killed.kill("SIGKILL");
    for (const { caller, runId } of started)
      if (caller === other) await cancelRun(deps, other, { id: runId });

    const leases = await deps.db.pool.query(
      "SELECT max(lease_until) <= now() + interval '15 seconds' AS short FROM query_runs WHERE status = 'running'",
    );
    expect(leases.rows).toEqual([{ short: true }]);
    // As if those seconds were over.
    await gate.open();
    await deps.db.pool.query("UPDATE query_runs SET lease_until = now() WHERE status = 'running'");

    const worker = await startWorker({ deps, logger, settings: settingsFor(), pollEveryMs: 200 });
    const endings = [];
    for (const { caller, runId } of started) {
      const { status, failure } = await end(caller, runId);
      endings.push(failure?.code ?? status);
    }
    expect(endings).toEqual(runs.map(([, , ending]) => ending));
    if (hasTrino) expect(await countEndless(deps, "trino")).toBe(0);
    const again = await refreshQuery(deps, owner, { id: gated.id });
    expect(await end(owner, again.id)).toMatchObject({ status: "completed" });
    await worker.stop();
    const unfinished = await deps.db.prisma.queryRun.count({ where: { completedAt: null } });
    expect(unfinished).toBe(0);
  });

  test("a run is taken over when the lease on it has run out, and not before", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const run = await runQuery(deps, owner, { id, ...noValues });
    const { shortId } = await make.reference(owner, "SELECT 1");
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const automationRun = await triggerAutomation(deps, owner, automation);
    for (const [table, claim] of [
      ["query_runs", () => claimOneQueryRun(deps, run.id)],
      ["automation_runs", () => claimOneAutomationRun(deps, automationRun.id)],
    ] as const) {
      expect(await claim(), table).toMatchObject({ leaseNumber: 1 });
      expect(await claim(), table).toBeUndefined();
      await deps.db.pool.query(
        `UPDATE ${table} SET lease_until = now() - interval '1 second' WHERE organization_id = $1`,
        [owner.organizationId],
      );
      expect(await claim(), table).toMatchObject({ leaseNumber: 2 });
      expect(await claim(), table).toBeUndefined();
      await deps.db.pool.query(`DELETE FROM ${table} WHERE organization_id = $1`, [owner.organizationId]);
    }
  });

  test("a run that was begun five times is not started again and fails", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const run = await runQuery(deps, owner, { id, ...noValues });
    await takeOver(deps, run.id, 5);
    await deps.db.pool.query("UPDATE query_runs SET lease_until = now() WHERE id = $1", [run.id]);
    await execute(deps, run.id);
    expect(await getRun(deps, owner, run)).toMatchObject({
      status: "failed",
      failure: { code: "worker_lost" },
    });
  });
});

describe("a worker", () => {
  test("shows a run's progress to watchers in other processes", async ({
    deps,
    make,
    startProcess,
    gate,
    watch,
  }) => {
    const owner = await make.owner();
    // Wide rows come in small batches, slowly enough to be counted; the last one waits for the test.
    const sql = `SELECT n, repeat('x', 20000), pg_sleep(0.01), CASE n WHEN 200 THEN ${gate.passing} END
      FROM generate_series(1, 200) n`;
    const { id } = await make.query(owner, sql, { engine: "postgres" });
    const process = await startProcess();
    const run = await runQuery(deps, owner, { id, ...noValues });
    const states = await watch(owner, run.id, ({ progressRows }) => progressRows > 0);
    expect(states.at(-1)).toMatchObject({ status: "running" });
    expect(states.at(-1)?.progressRows).toBeLessThan(200);

    await gate.open();
    states.push(...(await watch(owner, run.id)));
    const counts = states.map(({ progressRows }) => progressRows);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(states.at(-1)).toMatchObject({ status: "completed", progressRows: 200 });
    await process.kill();
  });

  test("that has lost a run writes nothing about it any more", async ({ deps, make, watch }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, endless.duckdb);
    const run = await runQuery(deps, owner, { id, ...noValues });
    const executing = execute(deps, run.id);
    await watch(owner, run.id, isRunning);
    await takeOver(deps, run.id, 2);
    await executing;
    const stored = await deps.db.prisma.queryRun.findUniqueOrThrow({ where: { id: run.id } });
    expect(stored).toMatchObject({ status: "running", leaseWorker: "another", leaseNumber: 2 });
    await finish(deps, owner, run.id);
  });

  test("that stops releases its run to another at once", async ({ deps, make, watch }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, endless.duckdb);
    const run = await runQuery(deps, owner, { id, ...noValues });
    const stop = new AbortController();
    const notice = await listenForNotices(deps.db.notices, "querybell_run_waiting");
    const executing = execute(deps, run.id, stop.signal);
    await watch(owner, run.id, isRunning);
    stop.abort();
    await executing;
    const { rows } = await deps.db.pool.query(
      "SELECT status, lease_until < now() AS free FROM query_runs WHERE id = $1",
      [run.id],
    );
    expect(rows).toEqual([{ status: "running", free: true }]);
    await notice(run.id);
    await finish(deps, owner, run.id);
  });
});

type Deps = Parameters<typeof executeRun>[0];

async function execute(deps: Deps, runId: string, signal = new AbortController().signal): Promise<void> {
  const lease = await claimOneQueryRun(deps, runId);
  if (!lease) expect.unreachable("The run cannot be claimed.");
  await executeRun(deps, lease, { signal, onError: (error) => expect.unreachable(String(error)) });
}

/** As another worker would have. */
const takeOver = (deps: Deps, runId: string, leaseNumber: number) =>
  deps.db.pool.query(
    `UPDATE query_runs SET status = 'running', lease_worker = 'another', lease_until = now() + interval '1 hour',
       lease_number = $2 WHERE id = $1`,
    [runId, leaseNumber],
  );

/** Ends the run, so that the worker of the next test does not claim it. */
async function finish(deps: Deps, owner: Caller, id: string): Promise<void> {
  await cancelRun(deps, owner, { id });
  await deps.db.pool.query("UPDATE query_runs SET lease_until = now() - interval '1 second' WHERE id = $1", [
    id,
  ]);
  await execute(deps, id);
  expect(await getRun(deps, owner, { id })).toMatchObject({
    status: "failed",
    failure: { code: "cancelled" },
  });
}
