import { dataFolder } from "@querybell/engines/testing/real-databases";
import { clusterStartMs, ownsTrino, queryTrino, startOwnCluster } from "@querybell/engines/testing/trino";
import { trinoDatabase } from "@querybell/engines/testing/trino-database";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createEngineHosts } from "./index.ts";
import { resolveAnyHost } from "./testing/resolve-any-host.ts";

const hosts = createEngineHosts({ size: 2, resolveHost: resolveAnyHost, dataFolder, graceMs: 3_600_000 });
afterAll(() => hosts.close());
// Starting a cluster of two takes more than a minute of processor time. QUERYBELL_TEST_RUNS=1 does it.
const isAsked = process.env.QUERYBELL_TEST_RUNS !== undefined;

describe.skipIf(!ownsTrino || !isAsked)("with a coordinator and a worker", () => {
  test("a query on tpch.sf1 runs on both; one whose worker is killed fails with the cluster's words, and later ones work", {
    timeout: clusterStartMs,
  }, async () => {
    const { cluster, killWorker, stop } = await startOwnCluster();
    onTestFinished(stop);
    const database = trinoDatabase({ catalog: "tpch", schema: "sf1" }, cluster);
    const run = (text: string) =>
      hosts.run({ organizationId: "one", database, statement: { text, values: [] } });
    const countTasks = async (text: string) =>
      (await queryTrino(cluster.url, runningOnWorker(text)))?.length ?? 0;

    const sql = "SELECT count(*) FROM tpch.sf1.customer WHERE comment LIKE '%regular%'";
    // A worker is active some time before the coordinator gives it work.
    await vi.waitFor(
      async () => {
        expect(await run(sql)).toMatchObject({ kind: "completed" });
        const nodes = await queryTrino(
          cluster.url,
          `SELECT DISTINCT node_id FROM system.runtime.tasks t JOIN system.runtime.queries q ON q.query_id = t.query_id
           WHERE q.query LIKE '%regular%' AND q.source = 'querybell' ORDER BY 1`,
        );
        expect(nodes).toEqual([["coordinator"], ["worker"]]);
      },
      { timeout: 120_000 },
    );

    const slow = "SELECT count(*) FROM tpch.sf100.lineitem WHERE comment LIKE '%killed worker%'";
    const failing = run(slow);
    await vi.waitFor(async () => expect(await countTasks("killed worker")).toBeGreaterThan(0), {
      timeout: 60_000,
    });
    await killWorker();
    expect(await failing).toMatchObject({
      failure: { code: "query_failed", message: expect.stringMatching(/worker|node|remote task/i) },
    });
    // The coordinator counts on the killed worker for some time.
    const small = "SELECT count(*) FROM tpch.tiny.lineitem";
    await vi.waitFor(async () => expect(await run(small)).toMatchObject({ kind: "completed" }), {
      timeout: 120_000,
    });
  });
});

const runningOnWorker = (text: string): string =>
  `SELECT 1 FROM system.runtime.tasks t JOIN system.runtime.queries q ON q.query_id = t.query_id
   WHERE t.node_id = 'worker' AND t.state = 'RUNNING' AND t.split_cpu_time_ms > 0 AND q.source = 'querybell' AND q.query LIKE '%${text}%'`;
