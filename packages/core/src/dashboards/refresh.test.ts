import { rename } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { withRights } from "@querybell/db";
import { type Caller, CreateDatabase } from "@querybell/domain";
import { describe, expect } from "vitest";
import { createDatabase } from "../databases/index.ts";
import type { Deps } from "../deps.ts";
import { updateQuery } from "../queries/index.ts";
import { getResult } from "../results/index.ts";
import { purgeExpiredResults, purgeHistory } from "../retention/index.ts";
import { cancelRun, executeRun, runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { claimOneQueryRun } from "../testing/claim-one.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import { cancelRefresh, getDashboard, getRefresh, refreshDashboard } from "./index.ts";
import { executeRefresh, makeDashboard, runsOf } from "./testing/make-dashboard.ts";

/** Refreshes the dashboard. Returns it with the first value of each result, in the order of its charts. */
async function refreshAndRead(deps: Deps, caller: Caller, id: string) {
  const refresh = await refreshDashboard(deps, caller, { id });
  await executeRefresh(deps, refresh.id);
  const dashboard = await getDashboard(deps, caller, { id });
  const values: unknown[] = [];
  for (const chart of dashboard.charts) {
    const runId = chart.state === "shown" ? chart.result?.runId : undefined;
    if (runId === undefined) values.push(undefined);
    else {
      const { gzippedJson } = await deps.db.prisma.queryResult.findUniqueOrThrow({ where: { runId } });
      values.push(JSON.parse(gunzipSync(gzippedJson).toString()).rows[0][0]);
    }
  }
  return { dashboard, values, refreshId: refresh.id };
}

const parts = 4;
const rounds = 3;
const sumOf = (table: string, condition = "true") =>
  `SELECT sum(amount)::INTEGER FROM ${table} WHERE ${condition}`;
const partsAndTotal = (table: string) => [
  ...Array.from({ length: parts }, (_, part) => sumOf(table, `id = ${part}`)),
  sumOf(table),
];

/** The parts of a refresh equal its total, and all show the moment of the heading. */
function expectAgreement({ dashboard, values }: Awaited<ReturnType<typeof refreshAndRead>>): void {
  const total = values.pop();
  expect(values.reduce<number>((sum, value) => sum + Number(value), 0)).toBe(total);
  const [instant] = dashboard.instants;
  expect(dashboard.instants).toHaveLength(1);
  for (const chart of dashboard.charts) expect(chart).toMatchObject({ snapshotAt: instant?.at });
}

const test = dbTest.extend("sums", { scope: "file" }, ({ deps, make }) => async (...statements: string[]) => {
  const owner = await make.owner();
  const { id: analyticalDatabaseConfigId } = await make.database(owner);
  return { owner, ...(await makeDashboard(deps, owner, { analyticalDatabaseConfigId, statements })) };
});

describe("while somebody moves money between rows", () => {
  test("parts equal their total on Postgres", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await createDatabase(
      deps,
      owner,
      CreateDatabase.parse({ name: "Bank", connection: await make.connection(owner, "postgres") }),
    );
    const { pool } = deps.db;
    await pool.query("CREATE TABLE bank (id int, amount int)");
    await pool.query("INSERT INTO bank SELECT n, 100 FROM generate_series(0, 3) n");
    const dashboard = await makeDashboard(deps, owner, {
      analyticalDatabaseConfigId: id,
      statements: partsAndTotal("bank"),
    });
    let isWriting = true;
    const write = async () => {
      for (let n = 0; isWriting; n++) {
        // The total changes too.
        await pool.query(
          "UPDATE bank SET amount = amount + CASE id WHEN $1 THEN 7 WHEN $2 THEN -5 ELSE 0 END",
          [n % parts, (n + 1) % parts],
        );
      }
    };
    const writing = write();
    try {
      const totals = new Set<unknown>();
      for (let round = 0; round < rounds; round++) {
        const refreshed = await refreshAndRead(deps, owner, dashboard.id);
        totals.add(refreshed.values.at(-1));
        expectAgreement(refreshed);
      }
      expect(totals.size).toBeGreaterThan(1);
    } finally {
      isWriting = false;
      await writing;
    }
  });

  test("parts equal their total on DuckDB, whose file is replaced", async ({ deps, make, duckdbFolder }) => {
    const owner = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({
      where: { id: owner.organizationId },
    });
    const path = join(duckdbFolder, `${slug}.test.duckdb`);
    const replace = async (n: number) => {
      const instance = await DuckDBInstance.create(`${path}.next`);
      const connection = await instance.connect();
      const amount = `100 + CASE range % ${parts} WHEN ${n % parts} THEN ${7 * n} ELSE -${n} END`;
      await connection.run(
        `CREATE TABLE bank AS SELECT range AS id, ${amount} AS amount FROM range(${parts})`,
      );
      connection.closeSync();
      instance.closeSync();
      await rename(`${path}.next`, path);
    };
    await replace(0);
    const statements = partsAndTotal("bank");
    const dashboard = await makeDashboard(deps, owner, { analyticalDatabaseConfigId, statements });
    let isWriting = true;
    const write = async () => {
      for (let n = 1; isWriting; n++) await replace(n);
    };
    const writing = write();
    try {
      for (let round = 0; round < rounds; round++) {
        expectAgreement(await refreshAndRead(deps, owner, dashboard.id));
      }
    } finally {
      isWriting = false;
      await writing;
    }
  });
});

describe("a refresh", () => {
  test("joins no run, and its results stay when a chart runs by itself", async ({ deps, sums }) => {
    const { owner, id, charts } = await sums("SELECT 1", "SELECT 2");
    const [first] = charts;
    const queryId = first?.queryId ?? "";
    const { id: before } = await runQuery(deps, owner, { id: queryId, parameterValues: {} });
    const refresh = await refreshDashboard(deps, owner, { id });
    // The same person again, while it is not finished.
    expect(await refreshDashboard(deps, owner, { id })).toMatchObject({ id: refresh.id });
    const runs = await runsOf(deps, refresh.id);
    expect(runs.map(({ triggerId }) => triggerId)).toEqual(
      [1, 2].map(() => `dashboard_refresh:${refresh.id}`),
    );
    expect(runs.map((run) => run.id)).not.toContain(before);
    await executeRefresh(deps, refresh.id);
    expect(await getRefresh(deps, owner, refresh)).toMatchObject({ isUnfinished: false, runsDone: 2 });
    const shown = async () => {
      const dashboard = await getDashboard(deps, owner, { id });
      return dashboard.charts.map((chart) => (chart.state === "shown" ? chart.result?.runId : undefined));
    };
    const ofRefresh = await shown();
    expect([...ofRefresh].sort()).toEqual(runs.map((run) => run.id));
    await execute(deps, before);
    const { id: after } = await runQuery(deps, owner, { id: queryId, parameterValues: {} });
    await execute(deps, after);
    expect(await shown()).toEqual(ofRefresh);
    // The newest run has the result of the query itself.
    expect(await getResult(deps, owner, { id: queryId })).toMatchObject({ runId: after });
  });

  test("of a chart that fails goes on with the others, and says why", async ({ deps, sums }) => {
    const { owner, id } = await sums("SELECT 1", "SELECT no_such_column", "SELECT 3");
    const { values, dashboard } = await refreshAndRead(deps, owner, id);
    expect(values).toEqual([1, undefined, 3]);
    expect(dashboard.charts[1]).toMatchObject({ failure: expect.stringContaining("no_such_column") });
    expect(dashboard.charts[2]).toMatchObject({ failure: null, snapshotAt: dashboard.instants[0]?.at });
  });

  test("that is cancelled stores nothing, and the one before stays", async ({ deps, sums }) => {
    const { owner, id } = await sums("SELECT 1", "SELECT 2");
    const { dashboard: before } = await refreshAndRead(deps, owner, id);
    const refresh = await refreshDashboard(deps, owner, { id });
    expect(await cancelRefresh(deps, owner, refresh)).toMatchObject({ isUnfinished: false });
    await executeRefresh(deps, refresh.id);
    const { charts, instants } = await getDashboard(deps, owner, { id });
    expect(instants).toEqual(before.instants);
    expect(charts).toMatchObject([
      { failure: "The run was cancelled." },
      { failure: "The run was cancelled." },
    ]);
  });

  test("is led by another run when the first is cancelled before it starts", async ({ deps, sums }) => {
    const { owner, id, charts } = await sums("SELECT 1", "SELECT 2", "SELECT 3");
    const refresh = await refreshDashboard(deps, owner, { id });
    const [leader] = (await runsOf(deps, refresh.id)).filter(({ leaderId }) => leaderId === null);
    await cancelRun(deps, owner, { id: leader?.id ?? "" });
    // An edited query cancels its runs, too.
    const led = (await runsOf(deps, refresh.id)).find(
      ({ leaderId, status }) => leaderId === null && status === "pending",
    );
    await updateQuery(deps, owner, { id: led?.queryId ?? "", sql: "SELECT 9" });
    await executeRefresh(deps, refresh.id);
    const statuses = (await runsOf(deps, refresh.id)).map(({ status }) => status).sort();
    expect(statuses).toEqual(["completed", "failed", "failed"]);
    expect(charts).toHaveLength(3);
  });

  test("that ends at the same time as another's replaces it, or is replaced", async ({
    deps,
    make,
    sums,
  }) => {
    const { owner, id } = await sums("SELECT 1", "SELECT 2");
    const people = [owner, await make.member(owner.organizationId), await make.member(owner.organizationId)];
    const refreshes = await Promise.all(people.map((person) => refreshDashboard(deps, person, { id })));
    expect(new Set(refreshes.map((refresh) => refresh.id)).size).toBe(3);
    const leaders = await deps.db.prisma.queryRun.findMany({
      where: { refreshId: { in: refreshes.map((refresh) => refresh.id) }, leaderId: null },
    });
    const claims = [];
    for (const leader of leaders) claims.push(await claimOneQueryRun(deps, leader.id));
    const signal = new AbortController().signal;
    const onError = (error: unknown) => expect.unreachable(String(error));
    await Promise.all(claims.map(async (claim) => claim && executeRun(deps, claim, { signal, onError })));
    const { charts } = await getDashboard(deps, owner, { id });
    const moments = charts.map((chart) => (chart.state === "shown" ? chart.snapshotAt : undefined));
    expect(new Set(moments).size).toBe(1);
    expect(await deps.db.prisma.queryResult.count({ where: { dashboardId: id } })).toBe(2);
  });

  test("of a lost worker is executed by another, and the lost one writes nothing", async ({ deps, sums }) => {
    const { owner, id } = await sums("SELECT 1", "SELECT 2");
    const refresh = await refreshDashboard(deps, owner, { id });
    const leader = (await runsOf(deps, refresh.id)).find(({ leaderId }) => leaderId === null);
    const lost = await claimOneQueryRun(deps, leader?.id ?? "");
    await deps.db.pool.query(
      "UPDATE query_runs SET lease_until = now() - interval '1 second' WHERE id = $1",
      [leader?.id],
    );
    await executeRefresh(deps, refresh.id);
    const ended = await runsOf(deps, refresh.id);
    expect(ended.map(({ status, leaseNumber }) => [status, leaseNumber])).toEqual([
      ["completed", 2],
      ["completed", 2],
    ]);
    if (!lost) throw new Error("Nothing was claimed.");
    const signal = new AbortController().signal;
    await executeRun(deps, lost, { signal, onError: (error) => expect.unreachable(String(error)) });
    expect(await runsOf(deps, refresh.id)).toEqual(ended);
  });

  test("is purged with its runs, except for the last of each query", async ({ deps, sums, clock }) => {
    const { owner, id } = await sums("SELECT 1", "SELECT 2");
    // A run whose result is kept as history stays.
    await deps.db.prisma.organization.update({
      where: { id: owner.organizationId },
      data: { historyDays: 0 },
    });
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) ids.push((await refreshAndRead(deps, owner, id)).refreshId);
    await clock.advance(3 * 365 * 86_400_000);
    await purgeExpiredResults(deps);
    await purgeHistory(deps);
    const left = await deps.db.prisma.dashboardRefresh.findMany({ where: { dashboardId: id } });
    expect(left.map((refresh) => refresh.id)).toEqual(ids.slice(-1));
  });

  test("runs only what the person sees, and is theirs", async ({ deps, make, sums }) => {
    const { owner, id } = await sums("SELECT 1");
    const viewer = await make.member(owner.organizationId, "viewer");
    const refresh = await refreshDashboard(deps, owner, { id });
    await withRights(await deps.rights.of(viewer), async () => {
      await expect(cancelRefresh(deps, viewer, refresh)).rejects.toEqual(appError("not_found"));
      expect((await refreshDashboard(deps, viewer, { id })).id).not.toBe(refresh.id);
    });
    const other = await make.owner();
    await expect(getRefresh(deps, other, refresh)).rejects.toEqual(appError("not_found"));
    await expect(refreshDashboard(deps, other, { id })).rejects.toEqual(appError("not_found"));
  });
});
