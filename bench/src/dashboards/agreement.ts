import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Deps } from "@querybell/core";
import { createDashboard, getDashboard } from "@querybell/core/dashboards";
import { createDatabase } from "@querybell/core/databases";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { startRunSlots } from "@querybell/core/run-slots";
import { toPostgresConnection } from "@querybell/core/testing/postgres-connection";
import {
  type Caller,
  CreateDatabase,
  DashboardContent,
  type DatabaseConnection,
  newId,
} from "@querybell/domain";
import { median } from "../measuring/measuring.ts";
import { openDatabase } from "../measuring/open-database.ts";
import { refreshToEnd } from "./refresh-to-end.ts";

const parts = 11;

interface Agreement {
  /** Refreshes whose parts equal their total. */
  agreeing: number;
  /** The median time of a refresh. */
  refreshMs: number;
}

/**
 * Whether the tiles of a dashboard agree: a writer moves money between rows at full speed while a dashboard of 12 charts, 11
 * parts and their total, is refreshed again and again. On Postgres, and on DuckDB, whose file is replaced meanwhile.
 */
export async function measureAgreement(rounds: number): Promise<Record<"postgres" | "duckdb", Agreement>> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "querybell-bench-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const { deps, url } = await openDatabase(opened, {
    DUCKDB_FOLDER: folder,
    ANALYTICS_NETWORKS: "127.0.0.0/8",
  });
  const slots = startRunSlots({
    deps,
    queryRuns: { slots: 2, perOrganization: 20, total: null },
    automationRuns: { slots: 1, perOrganization: 20, total: null },
    pollEveryMs: 50,
    onError: (error) => console.error(error),
  });
  opened.defer(() => slots.stop());
  const caller = await makeOwner(deps);

  const { pool } = deps.db;
  await pool.query("CREATE TABLE bank (id int, amount int)");
  await pool.query(`INSERT INTO bank SELECT n, 100 FROM generate_series(0, ${parts - 1}) n`);
  const moveMoney = (n: number) =>
    pool.query("UPDATE bank SET amount = amount + CASE id WHEN $1 THEN 7 WHEN $2 THEN -5 ELSE 0 END", [
      n % parts,
      (n + 1) % parts,
    ]);
  const path = join(folder, "bench.bank.duckdb");
  const replaceFile = async (n: number) => {
    const instance = await DuckDBInstance.create(`${path}.next`);
    const connection = await instance.connect();
    const amount = `100 + CASE range % ${parts} WHEN ${n % parts} THEN ${7 * n} ELSE -${n} END`;
    await connection.run(`CREATE TABLE bank AS SELECT range AS id, ${amount} AS amount FROM range(${parts})`);
    connection.closeSync();
    instance.closeSync();
    await rename(`${path}.next`, path);
    // A host may only open the file that was there when it was started: one that is replaced meanwhile is refused.
    await setTimeout(2000);
  };
  await replaceFile(0);
  return {
    postgres: await measure("postgres", toPostgresConnection(url), moveMoney),
    duckdb: await measure("duckdb", { engine: "duckdb", settings: { file: "bank.duckdb" } }, replaceFile),
  };

  /** How often the parts of a refresh equal its total, and how long a refresh takes. */
  async function measure(
    name: string,
    connection: DatabaseConnection,
    write: (n: number) => Promise<unknown>,
  ): Promise<Agreement> {
    const id = await makeDashboard(deps, caller, { name, connection });
    let isWriting = true;
    const writing = (async () => {
      let n = 0;
      while (isWriting) await write(++n);
      return n;
    })();
    let agreeing = 0;
    const failures = new Set<string>();
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      const { id: refreshId } = await refreshToEnd(deps, caller, id);
      times.push(performance.now() - start);
      const failed = { refreshId, status: "failed" } as const;
      for (const { failureReason } of await deps.db.prisma.queryRun.findMany({ where: failed }))
        failures.add(failureReason ?? "");
      const values = await readValues(deps, caller, { id, refreshId });
      const total = values.pop();
      if (values.length === parts && values.reduce((sum, value) => sum + value, 0) === total) agreeing++;
      if ((round + 1) % 100 === 0) console.log(`${name}: ${agreeing} of ${round + 1} refreshes agree`);
    }
    isWriting = false;
    for (const failure of failures) console.log(`${name}: a refresh failed: ${failure}`);
    console.log(`${name}: ${agreeing} of ${rounds} refreshes agree, beside ${await writing} writes`);
    return { agreeing, refreshMs: median(times) };
  }
}

/** What the tiles show, of this refresh only: if one fails, they go on to show the results of the one before. */
async function readValues(
  deps: Deps,
  caller: Caller,
  { id, refreshId }: { id: string; refreshId: string },
): Promise<number[]> {
  const { prisma } = deps.db;
  const refreshed = await prisma.queryRun.findMany({ where: { refreshId }, select: { id: true } });
  const isRefreshed = new Set(refreshed.map((run) => run.id));
  const { charts } = await getDashboard(deps, caller, { id });
  const runIds = charts.flatMap((chart) =>
    chart.state === "shown" && chart.result && isRefreshed.has(chart.result.runId)
      ? [chart.result.runId]
      : [],
  );
  const results = await prisma.queryResult.findMany({ where: { runId: { in: runIds } } });
  const byRun = new Map(results.map(({ runId, gzippedJson }) => [runId, gunzipSync(gzippedJson).toString()]));
  return runIds.map((runId) => Number(JSON.parse(byRun.get(runId) ?? "").rows[0][0]));
}

async function makeDashboard(
  deps: Deps,
  caller: Caller,
  { name, connection }: { name: string; connection: DatabaseConnection },
): Promise<string> {
  const database = await createDatabase(deps, caller, CreateDatabase.parse({ name, connection }));
  const conditions = [...Array.from({ length: parts }, (_, part) => `id = ${part}`), "true"];
  const tiles: object[] = [];
  for (const [at, condition] of conditions.entries()) {
    const sql = `SELECT sum(amount)::INTEGER FROM bank WHERE ${condition}`;
    const { id: queryId } = await createQuery(deps, caller, { sql, analyticalDatabaseConfigId: database.id });
    const { id: referenceId } = await createReference(deps, caller, { queryId });
    tiles.push({ id: `${at}`, kind: "chart", referenceId, shows: "chart", x: 0, y: at * 2, w: 4, h: 2 });
  }
  const content = DashboardContent.parse({ tabs: [{ id: "tab", title: "Sums", tiles }] });
  const { id } = await createDashboard(deps, caller, {
    title: name,
    description: null,
    folderId: null,
    content,
  });
  return id;
}

async function makeOwner({ db, clock }: Deps): Promise<Caller> {
  const [organizationId, userId] = [newId(clock), newId(clock)];
  const createdAt = clock.now();
  await db.prisma.user.create({
    data: { id: userId, name: "Bench", email: "bench@example.test", createdAt, updatedAt: createdAt },
  });
  await db.prisma.organization.create({
    data: { id: organizationId, name: "Bench", slug: "bench", restCompatibility: "live", createdAt },
  });
  await db.prisma.member.create({ data: { organizationId, userId, role: "owner", createdAt } });
  return { organizationId, userId, role: "owner", via: { kind: "session", sessionId: newId(clock) } };
}
