import { listAudit } from "@querybell/core/audit";
import { getAutomation, getAutomationRun, listAutomationRuns, listSteps } from "@querybell/core/automations";
import { describeDatabases } from "@querybell/core/databases";
import { listKeys } from "@querybell/core/keys";
import { listNotifications } from "@querybell/core/notifications";
import { checkSealedValues } from "@querybell/core/operator";
import { listQueries, listQueryVersions } from "@querybell/core/queries";
import { listReferences } from "@querybell/core/references";
import { getResult } from "@querybell/core/results";
import { listRuns } from "@querybell/core/runs";
import { getDelivery, getEndpoint, listRecoveries, searchDeliveries } from "@querybell/core/webhooks";
import type { Caller } from "@querybell/domain";
import { applyMigrations, listMigrations } from "@querybell/prisma";
import { answer } from "@querybell/worker/testing";
import { expect } from "vitest";
import { listTables, type Queryable, quote, quoteName } from "./backup/describe-database.ts";
import { backupTest } from "./backup/testing/backup-test.ts";
import { fillsOfFirstRelease, firstRelease } from "./testing/first-release.ts";

const owner: Caller = {
  organizationId: firstRelease.organizationId,
  userId: firstRelease.userId,
  role: "owner",
  via: { kind: "session", sessionId: firstRelease.sessionId },
};

interface FilledTable {
  columns: string[];
  rows: string[];
}

/** The rows of each table, with these columns or with all that it has. */
async function readTables(
  database: Queryable,
  known?: Record<string, FilledTable>,
): Promise<Record<string, FilledTable>> {
  const tables: Record<string, FilledTable> = {};
  for (const table of await listTables(database)) {
    if (table.schema !== "public" || (known && !known[table.name])) continue;
    const columns = known?.[table.name]?.columns ?? table.columns;
    const texts = columns.map((name) => `${quoteName(name)}::text`).join(", ");
    const { rows } = await database.query(`SELECT ${texts} FROM ${quote(table)}`);
    tables[table.name] = { columns, rows: rows.map((row) => JSON.stringify(row)).sort() };
  }
  return tables;
}

/** The file that has the rows of a table. */
async function fileOf(database: Queryable, table: string): Promise<string | null> {
  const { rows } = await database.query<{ file: string | null }>("SELECT pg_relation_filepath($1) AS file", [
    table,
  ]);
  return rows[0]?.file ?? null;
}

/** Tables to which a migration adds rows: every organization gets a database for its uploads. */
const withAddedRows = ["analytical_database_configs"];

backupTest(
  "a database that the first release filled loses nothing by all migrations, and this release reads it and goes on with it",
  async ({ createDatabase, hooks }) => {
    const { url, deps, tools } = await createDatabase();
    const { pool } = deps.db;
    const receiver = await hooks.receiver(answer(200));
    const place = { sealer: deps.sealer, receiverUrl: receiver.url };
    const all = await listMigrations();
    for (const [name, fill] of Object.entries(fillsOfFirstRelease)) {
      await applyMigrations(url, { upTo: all.slice(0, all.indexOf(name) + 1) });
      for (const text of fill(place)) await pool.query(text);
    }
    const filled = await readTables(pool);
    const empty = Object.entries(filled).filter(([, { rows }]) => rows.length === 0);
    expect(
      empty.map(([name]) => name),
      "tables that the first release left empty",
    ).toEqual([]);

    const attemptFile = await fileOf(pool, "webhook_attempts");
    await applyMigrations(url);
    expect(await fileOf(pool, "partitions.webhook_attempts_first"), "not copied").toBe(attemptFile);
    const upgraded = await readTables(pool, filled);
    expect(Object.keys(upgraded)).toEqual(Object.keys(filled));
    for (const [name, { rows }] of Object.entries(filled)) {
      const after = upgraded[name]?.rows ?? [];
      const kept = withAddedRows.includes(name) ? after.filter((row) => rows.includes(row)) : after;
      expect(kept, name).toEqual(rows);
    }

    const page = { limit: 10 };
    expect((await listQueries(deps, owner, page)).items).toMatchObject([
      { id: firstRelease.queryId, latestRun: { id: firstRelease.runIds.pending, status: "pending" } },
    ]);
    expect((await listReferences(deps, owner, page)).items).toMatchObject([{ shortId: "abcdefgh23" }]);
    const { queryId } = firstRelease;
    expect((await listRuns(deps, owner, { queryId, ...page })).items.map(({ status }) => status)).toEqual([
      "pending",
      "failed",
      "completed",
    ]);
    expect(await getResult(deps, owner, { id: queryId })).toMatchObject({ rowCount: 1 });
    await listQueryVersions(deps, owner, { id: queryId, ...page });
    expect(await describeDatabases(deps, owner)).toMatchObject([{ name: "Shop" }]);
    expect(await listKeys(deps, owner)).toHaveLength(1);
    expect((await listAudit(deps, owner, page)).items).toHaveLength(1);
    expect((await listNotifications(deps, owner, { unreadOnly: false, ...page })).items).toHaveLength(1);

    const { automationId, automationRunId } = firstRelease;
    expect(await getAutomation(deps, owner, { id: automationId })).toMatchObject({ name: "Watch" });
    expect((await listAutomationRuns(deps, owner, page)).items).toHaveLength(1);
    expect(await getAutomationRun(deps, owner, { id: automationRunId })).toMatchObject({
      summary: "Nothing has changed.",
    });
    await listSteps(deps, owner, { runId: automationRunId, ...page });

    const { endpointId, eventIds } = firstRelease;
    expect(await getEndpoint(deps, owner, { id: endpointId })).toMatchObject({
      headers: { "x-team": "ours" },
    });
    expect(await listRecoveries(deps, owner, {})).toHaveLength(1);
    const { items } = await searchDeliveries(deps, owner, page);
    expect(items.map(({ state }) => state)).toEqual(["held", "pending", "succeeded"]);
    for (const { id } of items) await getDelivery(deps, owner, { id });
    expect((await checkSealedValues(deps, pool)).map(({ unopened }) => unopened)).toEqual([0, 0]);

    const pump = await tools.pump();
    await pump.drain();
    await pump.stop();
    expect(receiver.requests.map(({ headers }) => headers["svc-webhook-id"])).toEqual([eventIds.due]);
  },
);
