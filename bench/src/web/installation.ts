import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deps } from "@querybell/core";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { createQuery } from "@querybell/core/queries";
import { claimQueryRun, executeRun, runQuery } from "@querybell/core/runs";
import { type Caller, systemClock } from "@querybell/domain";
import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import { applyMigrations } from "@querybell/prisma";
import { seedDemo } from "../../../apps/local/src/demo/seed-demo.ts";

/** A new database and the dependencies of the use cases, until the stack is disposed. */
export async function openInstallation(
  opened: AsyncDisposableStack,
  publicUrl: string,
): Promise<{ deps: Deps; duckdbFolder: string }> {
  const { url, stop } = await startThrowawayPostgres();
  opened.defer(stop);
  await applyMigrations(url);
  const duckdbFolder = await mkdtemp(join(tmpdir(), "querybell-bench-"));
  opened.defer(() => rm(duckdbFolder, { recursive: true }));
  const deps = openDeps({
    settings: {
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: 10,
      SEALING_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
      PUBLIC_URL: publicUrl,
      REST_COMPATIBILITY: "live",
      DUCKDB_FOLDER: duckdbFolder,
      ANALYTICS_NETWORKS: "",
      SMTP_URL: undefined,
      // The demo has a destination on this machine.
      WEBHOOK_ALLOW_LOOPBACK: true,
    },
    clock: systemClock,
    onError: (error) => console.error(error),
  });
  opened.defer(() => closeDeps(deps));
  return { deps, duckdbFolder };
}

const rows = 50_000;
const lines = 500;

const anyRun = {
  workerId: "bench",
  excludedOrganizations: [],
  organizationCeiling: null,
  totalCeiling: null,
  afterOrganization: null,
};

/** The demo of `npm start`, with a result of 50,000 rows and a statement of 500 lines added. */
export async function fillDemo(deps: Deps, duckdbFolder: string) {
  await seedDemo(deps, { duckdbFolder, receiverUrl: "http://127.0.0.1:9/", key: undefined });
  const { prisma } = deps.db;
  const reference = await prisma.queryReference.findFirstOrThrow({
    where: { title: "Revenue by month" },
    include: { query: true },
  });
  const { organizationId, createdBy: userId } = reference;
  const caller: Caller = {
    organizationId,
    userId,
    role: "owner",
    via: { kind: "session", sessionId: userId },
  };
  const chartQueryId = reference.queryId ?? "";
  const analyticalDatabaseConfigId = reference.query?.analyticalDatabaseConfigId ?? "";
  const create = async (sql: string) =>
    (await createQuery(deps, caller, { sql, analyticalDatabaseConfigId })).id;

  const long = `SELECT i AS id, 'customer ' || i AS name, i * 1.25 AS total, i % 7 = 0 AS is_new,
  DATE '2020-01-01' + (i % 1500)::INTEGER AS day, md5(i::VARCHAR) AS code, i + 9007199254740993 AS big,
  CASE WHEN i % 5 = 0 THEN NULL ELSE 'note ' || i END AS note FROM range(${rows}) t(i)`;
  const longQueryId = await create(long);
  const wideQueryId = await create(statementOf(lines));
  for (const id of [chartQueryId, longQueryId]) await complete(deps, caller, id);
  return { shortId: reference.shortId, chartQueryId, longQueryId, wideQueryId };
}

function statementOf(count: number): string {
  const columns = Array.from(
    { length: count - 2 },
    (_, index) =>
      `  sum(CASE WHEN o.status = 'paid' AND o.id % ${index + 2} = 0 THEN o.total END) AS total_${index},`,
  );
  return ["SELECT", ...columns, "  count(*) AS orders FROM orders o"].join("\n");
}

/** Runs a query in this process, as a worker does. */
export async function complete(deps: Deps, caller: Caller, id: string): Promise<void> {
  const run = await runQuery(deps, caller, { id, parameterValues: {} });
  // This also executes the pending runs of the demo.
  for (;;) {
    const lease = await claimQueryRun(deps, anyRun);
    if (!lease) break;
    const { signal } = new AbortController();
    await executeRun(deps, lease, { signal, onError: (error) => console.error(error) });
  }
  const { status, failureReason } = await deps.db.prisma.queryRun.findUniqueOrThrow({
    where: { id: run.id },
  });
  if (status !== "completed") throw new Error(`The run of the benchmark's query failed: ${failureReason}`);
}
