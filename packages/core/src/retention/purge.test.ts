import { type Caller, newId } from "@querybell/domain";
import { expect } from "vitest";
import { triggerAutomation } from "../automations/index.ts";
import { createKey } from "../keys/index.ts";
import { deleteItems } from "../library/index.ts";
import { runQuery } from "../runs/index.ts";
import { dbTest } from "../testing/index.ts";
import { purgeHistory } from "./index.ts";

const day = 24 * 60 * 60 * 1000;
const periods = {
  webhookHistoryDays: 30,
  queryRunDays: 10,
  automationRunDays: 20,
  notificationDays: 5,
  auditDays: 100,
};

type Table = "query_runs" | "automation_runs";
type Ending = "completed" | "failed";

const test = dbTest
  .extend("purge", { scope: "file" }, ({ deps }) => {
    const deployment = { ...deps.deployment, retention: periods };
    return () => purgeHistory({ ...deps, deployment });
  })
  .extend("history", { scope: "file" }, ({ deps }) => {
    const { pool } = deps.db;
    const end = async (table: Table, id: string, status: Ending): Promise<string> => {
      const lease =
        table === "query_runs"
          ? "lease_worker = 'test'"
          : "lease_holder = 'test', ready_at = querybell_now(), deadline_at = querybell_now()";
      await pool.query(
        `UPDATE ${table} SET status = 'running', started_at = querybell_now(), ${lease}, lease_until = querybell_now() WHERE id = $1`,
        [id],
      );
      const failure = status === "failed" ? "'internal', 'It failed.'" : "NULL, NULL";
      await pool.query(
        `UPDATE ${table} SET status = $2::run_status, completed_at = querybell_now(), (failure_code, failure_reason) = (${failure})
           ${table === "automation_runs" && status === "completed" ? ", summary = 'Done.'" : ""} WHERE id = $1`,
        [id, status],
      );
      return id;
    };
    return {
      queryRun: async (caller: Caller, queryId: string, status: Ending = "completed") => {
        const { id } = await runQuery(deps, caller, { id: queryId, parameterValues: {} });
        return end("query_runs", id, status);
      },
      automationRun: async (caller: Caller, automationId: string, status: Ending = "completed") => {
        const { id } = await triggerAutomation(deps, caller, { id: automationId });
        return end("automation_runs", id, status);
      },
      kept: async (table: Table, { organizationId }: Caller): Promise<string[]> => {
        const { rows } = await pool.query<{ id: string }>(
          `SELECT id FROM ${table} WHERE organization_id = $1 ORDER BY created_at, id`,
          [organizationId],
        );
        return rows.map(({ id }) => id);
      },
    };
  });

test("old query runs go, but for the last one and the last completed one before the period", async ({
  make,
  clock,
  history,
  purge,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1 AS a");
  await history.queryRun(owner, id);
  await clock.advance(day);
  const lastCompleted = await history.queryRun(owner, id);
  await clock.advance(day);
  await history.queryRun(owner, id, "failed");
  await clock.advance(day);
  const last = await history.queryRun(owner, id, "failed");
  await clock.advance(9 * day);
  const recent = await history.queryRun(owner, id);
  await purge();
  // Not old enough: only two of them ended more than ten days ago.
  expect((await history.kept("query_runs", owner)).length).toBe(4);
  await clock.advance(2 * day);
  await purge();
  expect(await history.kept("query_runs", owner)).toEqual([lastCompleted, last, recent]);
});

test("a query run stays while its result is stored or a chat shows it", async ({
  deps,
  make,
  clock,
  history,
  purge,
}) => {
  const { pool } = deps.db;
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1 AS a");
  const withResult = await history.queryRun(owner, id);
  await pool.query(
    `INSERT INTO query_results (run_id, organization_id, query_id, parameter_values_hash, gzipped_json, json_bytes, row_count, etag, completed_at, expires_at)
     SELECT id, organization_id, query_id, parameter_values_hash, '', 0, 0, '', completed_at, completed_at + interval '1 year' FROM query_runs WHERE id = $1`,
    [withResult],
  );
  await clock.advance(1000);
  const inChat = await history.queryRun(owner, id);
  const automation = await make.automation(owner);
  const automationRun = await history.automationRun(owner, automation.id);
  await pool.query(
    `INSERT INTO automation_steps (id, organization_id, run_id, name, position, revision, kind, state, text, tool, input, query_run_id, created_at)
     VALUES (gen_random_uuid(), $1, $2, 'step', 100, 100, 'tool_call', 'running', '', 'run_query', '{}', $3, querybell_now())`,
    [owner.organizationId, automationRun, inChat],
  );
  for (let runs = 0; runs < 2; runs++) {
    await clock.advance(1000);
    await history.queryRun(owner, id);
    await history.automationRun(owner, automation.id);
  }
  await clock.advance(11 * day);
  await purge();
  expect(await history.kept("query_runs", owner)).toEqual(expect.arrayContaining([withResult, inChat]));
  expect((await history.kept("query_runs", owner)).length).toBe(3);
  await clock.advance(10 * day);
  expect(await purge()).toMatchObject({ automationRuns: 2, queryRuns: 1 });
  expect(await history.kept("query_runs", owner)).not.toContain(inChat);
});

test("an unfinished run is never deleted, however old it is", async ({
  deps,
  make,
  clock,
  history,
  purge,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1 AS a");
  const automation = await make.automation(owner);
  const runs = {
    query: (await runQuery(deps, owner, { id, parameterValues: {} })).id,
    automation: (await triggerAutomation(deps, owner, { id: automation.id })).id,
  };
  await clock.advance(200 * day);
  await purge();
  expect(await history.kept("query_runs", owner)).toContain(runs.query);
  expect(await history.kept("automation_runs", owner)).toContain(runs.automation);
});

test("more runs than a batch holds go in one purge", async ({ deps, make, clock, history, purge }) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1 AS a");
  const template = await history.queryRun(owner, id, "failed");
  await deps.db.pool.query(
    `INSERT INTO query_runs (id, organization_id, query_id, status, trigger_id, parameter_values, parameter_types, parameter_values_hash, rendered_sql, created_at)
     SELECT uuidv7(created_at - now()), organization_id, query_id, 'pending', trigger_id, '{}', '{}', int4send(n), '', created_at
     FROM query_runs, generate_series(1, 1200) n WHERE id = $1`,
    [template],
  );
  await deps.db.pool.query(
    `UPDATE query_runs SET status = 'failed', completed_at = created_at, failure_code = 'internal', failure_reason = ''
     WHERE query_id = $1 AND status = 'pending'`,
    [id],
  );
  await clock.advance(11 * day);
  await purge();
  expect((await history.kept("query_runs", owner)).length).toBe(1);
});

test("notifications and audit entries go after their periods", async ({ deps, make, clock, purge }) => {
  const { prisma } = deps.db;
  const owner = await make.owner();
  const where = { organizationId: owner.organizationId };
  await createKey(deps, owner, { name: "Key", scopes: [] });
  await prisma.notification.create({
    data: {
      id: newId(clock),
      userId: owner.userId,
      organizationId: owner.organizationId,
      kind: "webhook_endpoint_disabled",
      detail: {},
      createdAt: clock.now(),
    },
  });
  await clock.advance(6 * day);
  await purge();
  expect(await prisma.notification.count({ where })).toBe(0);
  expect(await prisma.auditEntry.count({ where })).toBeGreaterThan(0);
  await expect(prisma.auditEntry.deleteMany({ where })).rejects.toThrow("the audit log is never edited");
  await clock.advance(95 * day);
  await purge();
  expect(await prisma.auditEntry.count({ where })).toBe(0);
});

test("deletions go after a day, and what they deleted stays deleted", async ({
  deps,
  make,
  clock,
  purge,
}) => {
  const owner = await make.owner();
  const query = await make.query(owner, "SELECT 1 AS a");
  await deleteItems(deps, owner, { items: [{ kind: "query", id: query.id }] });
  const where = { organizationId: owner.organizationId };
  await clock.advance(day - 1000);
  await purge();
  expect(await deps.db.prisma.deletion.count({ where })).toBe(1);
  await clock.advance(2000);
  await purge();
  expect(await deps.db.prisma.deletion.count({ where })).toBe(0);
  expect(await deps.db.prisma.query.count({ where: { ...where, deletedAt: null } })).toBe(0);
});
