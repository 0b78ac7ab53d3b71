import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { DatabaseLimits } from "@querybell/domain";
import { hostPids } from "@querybell/engine-hosts/testing/host-processes";
import { exitPragma } from "@querybell/engines/testing/native-call";
import { clusterStartMs, hasTrino, startCluster } from "@querybell/engines/testing/trino";
import { waitUntilBlocked, whileOtherTransaction } from "@querybell/webhooks/testing";
import { beforeAll, describe, expect, vi } from "vitest";
import { deleteDatabase } from "../databases/index.ts";
import { getQuery, updateQuery } from "../queries/index.ts";
import { getResult } from "../results/index.ts";
import { countEndless, endless } from "../testing/endless.ts";
import type { TestEngine } from "../testing/index.ts";
import { withRunSlotsTest } from "../testing/run-test.ts";
import { cancelRun, refreshQuery, runQuery } from "./index.ts";

// Hosts are killed on purpose here, so their ends are not logged.
const test = withRunSlotsTest.extend("onError", { scope: "file" }, () => () => {});
const noValues = { parameterValues: {} };
const isRunning = ({ status }: { status: string }) => status === "running";
const soon = { timeout: 60_000 };

test("a result that is written in several pieces is stored whole", async ({ deps, make, end }) => {
  const owner = await make.owner();
  // Hashes can hardly be compressed.
  const text = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `md5((range + ${n}000000)::VARCHAR)`).join(" || ");
  const { id } = await make.query(owner, `SELECT ${text} AS text FROM range(40000)`);
  const run = await runQuery(deps, owner, { id, ...noValues });
  expect(await end(owner, run.id)).toMatchObject({ status: "completed", rowsWritten: 40_000 });
  const { gzippedJson, etag } = await deps.db.prisma.queryResult.findUniqueOrThrow({
    where: { runId: run.id },
  });
  expect(gzippedJson.length).toBeGreaterThan(4 * 1024 ** 2);
  expect(etag).toBe(createHash("sha256").update(gzippedJson).digest("base64url"));
  expect(JSON.parse(gunzipSync(gzippedJson).toString()).rows).toHaveLength(40_000);
});

test("a run that starts while its database is deleted ends too", async ({ deps, make, watch, end }) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, endless.duckdb);
  const { analyticalDatabaseConfigId } = await getQuery(deps, owner, { id });
  let deleting: Promise<void> | undefined;
  let runId = "";
  // The lock holds the deletion between its search for runs and its commit.
  const lock = { has: "LOCK TABLE audit_entries IN SHARE MODE", values: [] };
  await whileOtherTransaction(deps.db.pool, lock, async () => {
    deleting = deleteDatabase(deps, owner, { id: analyticalDatabaseConfigId });
    await waitUntilBlocked(deps.db.pool, deleting);
    ({ id: runId } = await runQuery(deps, owner, { id, ...noValues }));
    await watch(owner, runId, isRunning);
  });
  await deleting;
  expect(await end(owner, runId)).toMatchObject({ status: "failed", failure: { code: "database_deleted" } });
});

test("a run of a text that DuckDB would evaluate before it runs anything fails, and its host lives", async ({
  deps,
  make,
  end,
}) => {
  const owner = await make.owner();
  for (const sql of ["PRAGMA table_info(error('EVALUATED ' || version()))", await exitPragma(77)]) {
    const { id } = await make.query(owner, sql);
    const run = await runQuery(deps, owner, { id, ...noValues });
    expect(await end(owner, run.id)).toMatchObject({
      status: "failed",
      failure: { code: "query_failed", message: "A query can only read: write a SELECT." },
    });
  }
});

// What engines do in each of these cases is tested in `packages/engine-hosts`, on each of them.
describe("on duckdb", () => {
  testRunAndCancel("duckdb");
  testKilledHost("duckdb");

  test("deleting a database ends its runs", async ({ deps, make, watch, end }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, endless.duckdb);
    const run = await runQuery(deps, owner, { id, ...noValues });
    await watch(owner, run.id, isRunning);
    const { analyticalDatabaseConfigId } = await getQuery(deps, owner, { id });
    await deleteDatabase(deps, owner, { id: analyticalDatabaseConfigId });
    expect(await end(owner, run.id)).toMatchObject({
      status: "failed",
      failure: { code: "database_deleted" },
    });
  });

  test("the error of the engine is the failure of the run", async ({ deps, make, end }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT * FROM nowhere");
    const run = await runQuery(deps, owner, { id, ...noValues });
    expect(await end(owner, run.id)).toMatchObject({
      status: "failed",
      failure: { code: "query_failed", message: expect.stringContaining("nowhere") },
    });
  });

  const limited: [what: string, sql: string, limits: Partial<DatabaseLimits>, ending: object][] = [
    ["time", endless.duckdb, { timeMs: 1000 }, { status: "failed", failure: { code: "query_timeout" } }],
    [
      "rows",
      "SELECT * FROM (VALUES (1), (2), (3)) t(n)",
      { rows: 2 },
      { status: "completed", cutBy: "rows" },
    ],
    [
      "bytes",
      "SELECT repeat('x', 5000)",
      { bytes: 2000 },
      { status: "failed", failure: { code: "result_too_large" } },
    ],
  ];
  test.for(limited)("the limit on %s holds", async ([, sql, limits, ending], { deps, make, end }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, sql, { limits });
    const run = await runQuery(deps, owner, { id, ...noValues });
    expect(await end(owner, run.id)).toMatchObject(ending);
  });
});

describe("on postgres", () => {
  testRunAndCancel("postgres");
  testKilledHost("postgres");
});

describe.skipIf(!hasTrino)("on trino", () => {
  beforeAll(async () => void (await startCluster()), clusterStartMs);
  testRunAndCancel("trino");

  test("a run ends with the progress that agrees with its result", async ({ deps, make, end }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT count(*) FROM tpch.tiny.orders", { engine: "trino" });
    const run = await runQuery(deps, owner, { id, ...noValues });
    expect(await end(owner, run.id)).toMatchObject({
      status: "completed",
      rowsRead: 15_000,
      engineProgress: { state: "FINISHED", rowsRead: 15_000 },
    });
  });
});

function testRunAndCancel(engine: TestEngine): void {
  test("a run goes from pending to running to completed", async ({ deps, make, watch, clock }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1 AS one UNION ALL SELECT 2 ORDER BY 1", { engine });
    const run = await runQuery(deps, owner, { id, ...noValues });
    expect(run).toMatchObject({
      queryId: id,
      status: "pending",
      runAt: clock.now().toISOString(),
      triggerId: `user:${owner.userId}`,
      parameterValues: {},
    });
    const states = await watch(owner, run.id);
    expect(states.at(-1)).toMatchObject({
      status: "completed",
      // Trino reports the rows that it read from tables.
      rowsRead: engine === "trino" ? 0 : 2,
      rowsWritten: 2,
      progressRows: 2,
      cutBy: null,
      failure: null,
    });
    const order = ["pending", "running", "completed"];
    const seen = states.map(({ status }) => order.indexOf(status));
    expect(seen).toEqual(seen.toSorted());
  });

  test("a cancelled run ends when the engine has stopped it", async ({ deps, make, watch, end }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, endless[engine], { engine });
    const run = await runQuery(deps, owner, { id, ...noValues });
    await watch(owner, run.id, isRunning);
    await cancelRun(deps, owner, { id: run.id });
    expect(await end(owner, run.id)).toMatchObject({
      status: "failed",
      cancelRequestedAt: expect.any(String),
      failure: { code: "cancelled" },
    });
    expect(await countEndless(deps, engine)).toBe(0);
    // A run that has ended stays as it is.
    expect(await cancelRun(deps, owner, { id: run.id })).toEqual(await end(owner, run.id));
  });
}

function testKilledHost(engine: TestEngine): void {
  test("killing the engine host fails its run, and the next one completes", async ({
    deps,
    make,
    watch,
    end,
  }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, endless[engine], { engine });
    const run = await runQuery(deps, owner, { id, ...noValues });
    await watch(owner, run.id, isRunning);
    if (engine !== "duckdb") {
      await vi.waitFor(async () => expect(await countEndless(deps, engine)).toBe(1), soon);
    }
    const ended = end(owner, run.id);
    killHosts();
    // On DuckDB repeated, because a run whose host dies before it receives the task goes to the next host.
    const killing = engine === "duckdb" ? setInterval(killHosts, 100) : undefined;
    expect(await ended).toMatchObject({ status: "failed", failure: { code: "engine_crashed" } });
    clearInterval(killing);
    await vi.waitFor(async () => expect(await countEndless(deps, engine)).toBe(0), soon);
    await updateQuery(deps, owner, { id, sql: "SELECT 1" });
    const next = await refreshQuery(deps, owner, { id });
    expect(await end(owner, next.id)).toMatchObject({ status: "completed" });
  });
}

function killHosts(): void {
  for (const host of hostPids()) process.kill(host, "SIGKILL");
}

describe("a run", () => {
  test("that fails leaves the latest successful result in place", async ({ deps, make, end }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const first = await runQuery(deps, owner, { id, ...noValues });
    await end(owner, first.id);
    await updateQuery(deps, owner, { id, sql: "SELECT * FROM nowhere" });
    const second = await refreshQuery(deps, owner, { id });
    expect(await end(owner, second.id)).toMatchObject({ status: "failed" });
    expect(await getResult(deps, owner, { id })).toMatchObject({ runId: first.id });
  });

  test("is joined by an equal one while it is unfinished, and by no other", async ({
    deps,
    make,
    watch,
    end,
  }) => {
    const owner = await make.owner();
    const sql = `${endless.duckdb} WHERE a.range <> {{n}}`;
    const parameters = [{ name: "n", displayName: "N", type: "integer" as const, description: "" }];
    const { id } = await make.query(owner, sql, { parameters });
    const run = (n: number | string) => runQuery(deps, owner, { id, parameterValues: { n } });
    const first = await run(1);
    await watch(owner, first.id, isRunning);
    expect(await Promise.all([run(1), run("1")])).toMatchObject([{ id: first.id }, { id: first.id }]);
    const other = await run(2);
    expect(other.id).not.toBe(first.id);
    for (const { id: runId } of [first, other]) {
      await cancelRun(deps, owner, { id: runId });
      await end(owner, runId);
    }
    const again = await run(1);
    expect([first.id, other.id]).not.toContain(again.id);
    await cancelRun(deps, owner, { id: again.id });
    await end(owner, again.id);
  });

  test("of a statement that is edited while it runs is cancelled", async ({ deps, make, watch, end }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, endless.duckdb);
    const run = await runQuery(deps, owner, { id, ...noValues });
    await watch(owner, run.id, isRunning);
    await updateQuery(deps, owner, { id, sql: "SELECT 1" });
    expect(await end(owner, run.id)).toMatchObject({ status: "failed", failure: { code: "cancelled" } });
  });
});
