import { whileOtherTransaction } from "@querybell/webhooks/testing";
import { expect, vi } from "vitest";
import { triggerAutomation } from "./automations/index.ts";
import type { Deps } from "./deps.ts";
import { startRunSlots } from "./run-slots.ts";
import { runQuery } from "./runs/index.ts";
import { runTest } from "./testing/run-test.ts";

/** Connections are ended on purpose, so errors are expected. Slots that hear of no run never look for one again. */
const test = runTest
  .extend("onError", { scope: "file" }, () => () => {})
  .extend("runSlots", { scope: "file", auto: true }, ({ deps, onError }, { onCleanup }) => {
    const concurrency = { slots: 4, perOrganization: 20, total: null };
    const slots = startRunSlots({
      deps,
      queryRuns: concurrency,
      automationRuns: concurrency,
      pollEveryMs: 3_600_000,
      onError,
    });
    onCleanup(() => slots.stop());
    return slots;
  });

/** Ends the first connection whose statement waits for a lock on rows or tables, as a server does that stops. */
async function endBlocked({ db }: Deps): Promise<void> {
  const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event <> 'advisory'`;
  await vi.waitUntil(async () => (await db.pool.query(text)).rows.length > 0, { timeout: 60_000 });
}

test("a result is stored after the database went away while it was stored", async ({
  deps,
  make,
  gate,
  watch,
  end,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, `SELECT ${gate.passing}, 1 AS one`, { engine: "postgres" });
  const run = await runQuery(deps, owner, { id, parameterValues: {} });
  await watch(owner, run.id, ({ status }) => status === "running");
  const lock = { has: "SELECT FROM queries WHERE id = $1 FOR UPDATE", values: [id] };
  await whileOtherTransaction(deps.db.pool, lock, async () => {
    await gate.open();
    await endBlocked(deps);
  });
  expect(await end(owner, run.id)).toMatchObject({ status: "completed", rowsWritten: 1 });
  const { leaseNumber } = await deps.db.prisma.queryRun.findUniqueOrThrow({ where: { id: run.id } });
  expect(leaseNumber, "it was executed once").toBe(1);
});

test("a run that the database has left is offered to all workers at once", async ({ deps, make, gate }) => {
  const owner = await make.owner();
  const { shortId } = await make.reference(owner, `SELECT ${gate.passing}, 1 AS one`, { engine: "postgres" });
  const automation = await make.automation(owner, { references: [{ shortId }] });
  const { id } = await triggerAutomation(deps, owner, automation);
  const running = { where: { organizationId: owner.organizationId, status: "running" } } as const;
  await vi.waitUntil(() => deps.db.prisma.queryRun.findFirst(running), { timeout: 60_000 });
  const lock = { has: "LOCK TABLE automation_steps IN EXCLUSIVE MODE", values: [] };
  await whileOtherTransaction(deps.db.pool, lock, async () => {
    await gate.open();
    await endBlocked(deps);
  });
  const ended = { where: { id, status: "completed" } } as const;
  const run = await vi.waitUntil(() => deps.db.prisma.automationRun.findFirst(ended), { timeout: 60_000 });
  expect(run.leaseNumber).toBe(2);
});
