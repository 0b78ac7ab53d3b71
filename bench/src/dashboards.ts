// Whether the tiles of a dashboard agree: a writer moves money between rows at full speed while a dashboard of 12 charts, 11
// parts and their total, is refreshed again and again. On Postgres, and on DuckDB, whose file is replaced meanwhile.

import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Deps } from "@querybell/core";
import { createDashboard, getDashboard, refreshDashboard } from "@querybell/core/dashboards";
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
import { measurePublicPages } from "./dashboards/public-pages.ts";
import { median, printFigures } from "./measuring/measuring.ts";
import { openDatabase } from "./measuring/open-database.ts";

const rounds = Number(process.argv[3] ?? 1000);
const parts = 11;

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

const postgres = await measure("postgres", toPostgresConnection(url), moveMoney);
const duckdb = await measure("duckdb", { engine: "duckdb", settings: { file: "bank.duckdb" } }, replaceFile);
console.log(`dashboards agree=${postgres.agreeing}/${rounds} agree_duckdb=${duckdb.agreeing}/${rounds}`);
const pages = await measurePublicPages();
printFigures("dashboards", {
  agree: (postgres.agreeing / rounds).toFixed(3),
  agree_duckdb: (duckdb.agreeing / rounds).toFixed(3),
  refresh_ms: median(postgres.times).toFixed(0),
  refresh_ms_duckdb: median(duckdb.times).toFixed(0),
  public_rps_ratio: pages.ratio.toFixed(2),
  public_effect: pages.effect.toFixed(2),
});

/** How often the parts of a refresh equal its total, and how long a refresh takes. */
async function measure(name: string, connection: DatabaseConnection, write: (n: number) => Promise<unknown>) {
  const id = await makeDashboard(name, connection);
  let isWriting = true;
  const writing = (async () => {
    let n = 0;
    while (isWriting) await write(++n);
    return n;
  })();
  let agreeing = 0;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await refresh(id);
    times.push(performance.now() - start);
    const values = await readValues(id);
    const total = values.pop();
    if (values.length === parts && values.reduce((sum, value) => sum + value, 0) === total) agreeing++;
  }
  isWriting = false;
  console.log(`${name}: ${agreeing} of ${rounds} refreshes agree, beside ${await writing} writes`);
  return { agreeing, times };
}

async function refresh(id: string): Promise<void> {
  const { id: refreshId } = await refreshDashboard(deps, caller, { id });
  const hasEnded = async () =>
    (await deps.db.prisma.queryRun.count({
      where: { refreshId, status: { in: ["pending", "running"] } },
    })) === 0;
  while (!(await hasEnded())) await setTimeout(5);
}

async function readValues(id: string): Promise<number[]> {
  const { charts } = await getDashboard(deps, caller, { id });
  const runIds = charts.flatMap((chart) =>
    chart.state === "shown" && chart.result ? [chart.result.runId] : [],
  );
  const results = await deps.db.prisma.queryResult.findMany({ where: { runId: { in: runIds } } });
  const byRun = new Map(results.map(({ runId, gzippedJson }) => [runId, gunzipSync(gzippedJson).toString()]));
  return runIds.map((runId) => Number(JSON.parse(byRun.get(runId) ?? "").rows[0][0]));
}

async function makeDashboard(name: string, connection: DatabaseConnection): Promise<string> {
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
