import { afterAll, describe, expect, test, vi } from "vitest";
import { createEngineHosts } from "../index.ts";
import { dataFolder } from "../testing/real-databases.ts";
import { resolveAnyHost } from "../testing/resolve-any-host.ts";
import {
  clusterStartMs,
  killTrinoWorker,
  ownsTrino,
  startTrinoWorker,
} from "../testing/trino/test-cluster.ts";
import { runInTrino, trinoDatabase, useTrino } from "../testing/trino/trino-database.ts";

const hosts = createEngineHosts({ size: 2, resolveHost: resolveAnyHost, dataFolder, graceMs: 3_600_000 });
afterAll(() => hosts.close());

const run = (text: string) =>
  hosts.run({ organizationId: "one", database: trinoDatabase(), statement: { text, values: [] } });

// All test files use one cluster, and this one kills a node of it. `npm test` runs it before the others.
describe.skipIf(!ownsTrino)("with a coordinator and a worker", () => {
  useTrino();

  test("a query on tpch.sf1 runs on both; without the worker it fails with the cluster's words, and later again works", {
    timeout: clusterStartMs,
  }, async () => {
    const sql = "SELECT count(*) FROM tpch.sf1.lineitem WHERE comment LIKE '%regular%'";
    expect(await run(sql)).toMatchObject({ kind: "completed" });
    const nodes = await runInTrino(
      `SELECT DISTINCT node_id FROM system.runtime.tasks t JOIN system.runtime.queries q ON q.query_id = t.query_id
       WHERE q.query LIKE '%regular%' AND q.source = 'querybell' ORDER BY 1`,
    );
    expect(nodes).toEqual([["coordinator"], ["worker"]]);

    const slow = "SELECT count(*) FROM tpch.sf100.lineitem WHERE comment LIKE '%killed worker%'";
    const failing = run(slow);
    await vi.waitFor(async () => expect(await tasksOn("worker", "killed worker")).toBeGreaterThan(0), {
      timeout: 60_000,
    });
    await killTrinoWorker();
    expect(await failing).toMatchObject({
      failure: { code: "query_failed", message: expect.stringMatching(/worker|node|remote task/i) },
    });
    await startTrinoWorker();
    expect(await run(sql)).toMatchObject({ kind: "completed" });
  });
});

async function tasksOn(node: string, text: string): Promise<number> {
  const rows = await runInTrino(
    `SELECT 1 FROM system.runtime.tasks t JOIN system.runtime.queries q ON q.query_id = t.query_id
     WHERE t.node_id = '${node}' AND t.state = 'RUNNING' AND t.split_cpu_time_ms > 0 AND q.source = 'querybell' AND q.query LIKE '%${text}%'`,
  );
  return rows.length;
}
