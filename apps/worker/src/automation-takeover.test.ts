import {
  type getAutomationRun,
  listAutomationRuns,
  triggerAutomation,
  watchChat,
} from "@querybell/core/automations";
import type { Automation, Caller } from "@querybell/domain";
import { describe, expect } from "vitest";
import { z } from "zod";
import { waitForChanges } from "./testing/wait-for-changes.ts";
import { workerTest as test } from "./testing/worker-test.ts";

// Killed processes leave leases behind. This expires them at once.
const expireLeases = (deps: Deps) =>
  Promise.all(
    ["automation_runs", "query_runs"].map((table) =>
      deps.db.pool.query(
        `UPDATE ${table} SET lease_until = now() - interval '1 second' WHERE status = 'running'`,
      ),
    ),
  );

type Deps = Parameters<typeof getAutomationRun>[0];

describe("when workers are killed", () => {
  test("a run continues after the last step that had ended", async ({
    deps,
    make,
    startProcess,
    startHere,
    gate,
  }) => {
    const owner = await make.owner();
    const quick = await make.reference(owner, "SELECT 1 AS one");
    const slow = await make.reference(owner, `SELECT ${gate.passing}, 2 AS two`, { engine: "postgres" });
    const references = [quick, slow].map(({ shortId }) => ({ shortId }));
    const subscribers = [
      { userId: owner.userId, inApp: true, byMail: true, onFailure: true, onSummary: true },
    ];
    const automation = await make.automation(owner, { references, subscribers });
    const run = await triggerAutomation(deps, owner, automation);
    const killed = await startProcess();
    const signal = new AbortController().signal;
    for await (const { steps } of watchChat(deps, owner, { id: run.id, signal })) {
      if (steps.some(({ input }) => JSON.stringify(input).includes(slow.shortId))) break;
    }
    await killed.kill("SIGKILL");
    const before = await stepsOf(deps, run.id);
    expect(before.map(({ state }) => state)).toEqual(["completed", "completed", "completed", "running"]);
    await expireLeases(deps);
    await gate.open();
    await startHere();
    for await (const _ of watchChat(deps, owner, { id: run.id, signal }));

    const after = await stepsOf(deps, run.id);
    expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
    expect(after.map(({ id }) => id).slice(0, 4)).toEqual(before.map(({ id }) => id));
    // The run waits for the query that was running already.
    expect(after[3]).toMatchObject({ state: "completed", queryRunId: before[3]?.queryRunId });
    expect(after).toHaveLength(5);
    expect(await deps.db.prisma.queryRun.count({ where: { triggerId: `automation_run:${run.id}` } })).toBe(2);
    expect(await deps.db.prisma.automationRun.findUnique({ where: { id: run.id } })).toMatchObject({
      status: "completed",
      leaseNumber: 2,
    });
    expect(
      await deps.db.prisma.webhookEvent.count({ where: { dedupeKey: `automation_run:${run.id}` } }),
    ).toBe(1);
    expect(await notifiedRunIds(deps, owner)).toEqual([run.id]);
  });

  // `pnpm bench automation-crash-test` does the same with a thousand runs, and waits for real leases.
  test("again and again, every run ends once, with one event, one notification and no step twice", async ({
    deps,
    make,
    startProcess,
    startHere,
  }) => {
    const owner = await make.owner();
    const references = [];
    for (const sql of ["SELECT 1 AS one", "SELECT 2 AS two"]) {
      references.push({ shortId: (await make.reference(owner, sql, { engine: "postgres" })).shortId });
    }
    const automations: Automation[] = [];
    const subscribers = [
      { userId: owner.userId, inApp: true, byMail: false, onFailure: true, onSummary: true },
    ];
    for (let index = 0; index < 4; index++)
      automations.push(await make.automation(owner, { references, subscribers }));
    const triggered: string[] = [];
    for (let round = 0; round < 3; round++)
      for (const automation of automations)
        triggered.push((await triggerAutomation(deps, owner, automation)).id);

    const unfinished = () => deps.db.prisma.automationRun.count({ where: { completedAt: null } });
    for (const changes of [2, 7]) {
      // Each worker is killed in another place.
      const changed = waitForChanges(deps.db, changes);
      const victim = await startProcess();
      await changed;
      await victim.kill("SIGKILL");
      expect(await unfinished()).toBeGreaterThan(0);
      await expireLeases(deps);
    }
    await startHere();
    const signal = new AbortController().signal;
    for (const id of triggered) for await (const _ of watchChat(deps, owner, { id, signal }));

    const { items } = await listAutomationRuns(deps, owner, { limit: 100 });
    expect(items.filter(({ status }) => status === "completed")).toHaveLength(triggered.length);
    const events = await deps.db.prisma.webhookEvent.findMany({
      where: { organizationId: owner.organizationId },
    });
    expect(events.map(({ dedupeKey }) => dedupeKey).sort()).toEqual(
      triggered.map((id) => `automation_run:${id}`).sort(),
    );
    expect((await notifiedRunIds(deps, owner)).sort()).toEqual(triggered.toSorted());
    for (const id of triggered) {
      const names = (await stepsOf(deps, id)).map(({ tool, name }) => tool ?? name);
      expect(names).toEqual(["instruction", "list_references", "run_query", "run_query", "summary"]);
    }
  });
});

/** The runs of the notifications that a person got, once for each notification. */
const notifiedRunIds = async (deps: Deps, { userId }: Caller) => {
  const rows = await deps.db.prisma.notification.findMany({ where: { userId } });
  return rows.map(({ detail }) => RunDetail.parse(detail).runId);
};

const RunDetail = z.object({ runId: z.string() });

const stepsOf = ({ db }: Pick<Deps, "db">, runId: string) =>
  db.prisma.automationStep.findMany({ where: { runId }, orderBy: { position: "asc" } });
