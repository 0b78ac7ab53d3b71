import { cancelRun, getRun, listRuns, refreshQuery, runQuery } from "@querybell/core";
import { type Caller, ListRuns } from "@querybell/domain";
import type { TestEngine } from "@querybell/testkit";
import { describe, expect } from "vitest";
import { engineHostsOf } from "./testing/worker-process.ts";
import { workerTest } from "./testing/worker-test.ts";

const engines: TestEngine[] = ["duckdb", "postgres"];

/** Would go on for minutes, and says so to whoever looks at the engine. */
const endless: Record<TestEngine, string> = {
  duckdb: "SELECT sum(sqrt(a.range * b.range)) FROM range(10000000) a, range(10000000) b",
  postgres: "SELECT pg_sleep(600)",
};
const anyRun = { parameterValues: {} };

describe.for(engines)("on %s", (engine) => {
  workerTest(
    "a run goes from pending to running to completed",
    async ({ deps, make, worker, end, clock }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 1 AS one UNION ALL SELECT 2 ORDER BY 1", { engine });
      const run = await runQuery(deps, owner, { id, ...anyRun });
      expect(run).toMatchObject({
        queryId: id,
        status: "pending",
        runAt: clock.now().toISOString(),
        triggerId: `user:${owner.userId}`,
        parameterValues: {},
      });
      expect(await end(owner, run.id)).toMatchObject({
        status: "completed",
        rowsRead: 2,
        rowsWritten: 2,
        progressRows: 2,
        cutBy: null,
        failure: null,
      });
      expect(worker.statusUrl).toContain("http");
    },
  );

  workerTest(
    "a run that is cancelled ends as soon as the engine has let go of it",
    async ({ deps, make, worker, watch, end }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, endless[engine], { engine });
      const run = await runQuery(deps, owner, { id, ...anyRun });
      await watch(owner, run.id, ({ status }) => status === "running");
      await cancelRun(deps, owner, { id: run.id });
      const ended = await end(owner, run.id);
      expect(ended).toMatchObject({ status: "failed", failure: { code: "cancelled" } });
      expect(ended.cancelRequestedAt).not.toBeNull();
      expect(worker.statusUrl).toContain("http");
      if (engine === "postgres") {
        const { rows } = await deps.db.pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid() AND state = 'active'",
        );
        expect(rows).toEqual([]);
      }
    },
  );

  workerTest(
    "a run whose statement the engine refuses fails with the engine's reason",
    async ({ deps, make, worker, end }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT * FROM nowhere", { engine });
      const run = await runQuery(deps, owner, { id, ...anyRun });
      expect(await end(owner, run.id)).toMatchObject({
        status: "failed",
        failure: { code: "query_failed", message: expect.stringContaining("nowhere") },
      });
      expect(worker.statusUrl).toContain("http");
    },
  );
});
