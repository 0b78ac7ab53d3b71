import { AppError, type Caller, maxQueuedRuns, newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../deps.ts";
import { dbTest } from "../testing/db-test.ts";
import { claimRun, completeClaimedRun, triggerAutomation, updateAutomation } from "./index.ts";

const test = dbTest.extend("external", { scope: "file" }, ({ make }) => async () => {
  const owner = await make.owner();
  return { owner, automation: await make.automation(owner, { agent: "external" }) };
});

const times = <T>(count: number, work: () => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, work));

const codesOf = (settled: PromiseSettledResult<unknown>[]) =>
  settled.flatMap((one) =>
    one.status === "rejected" && one.reason instanceof AppError ? one.reason.code : [],
  );

describe("at the same moment", () => {
  test("no more runs are triggered than may wait, and one of them is ready", async ({ deps, external }) => {
    const { owner, automation } = await external();
    const triggered = await times(3 * maxQueuedRuns, () => triggerAutomation(deps, owner, automation));
    expect(codesOf(triggered)).toEqual(
      Array.from({ length: 2 * maxQueuedRuns - 1 }, () => "automation_busy"),
    );
    const runs = await deps.db.prisma.automationRun.findMany({ where: { automationId: automation.id } });
    expect(runs).toHaveLength(1 + maxQueuedRuns);
    expect(runs.filter(({ readyAt }) => readyAt !== null)).toHaveLength(1);
  });

  test("a run is claimed by one agent", async ({ deps, external }) => {
    const { owner, automation } = await external();
    await triggerAutomation(deps, owner, automation);
    const claims = await times(8, () => claimRun(deps, owner, { leaseSeconds: 60 }));
    expect(claims.flatMap((claim) => (claim.status === "fulfilled" && claim.value ? [1] : []))).toEqual([1]);
  });

  test("a run ends once, with one event, and the next one is ready", async ({ deps, external }) => {
    const { owner, automation } = await external();
    await triggerAutomation(deps, owner, automation);
    const next = await triggerAutomation(deps, owner, automation);
    const claim = await claimRun(deps, owner, { leaseSeconds: 60 });
    const { id: runId = "" } = claim?.run ?? {};
    const ended = await times(8, () =>
      completeClaimedRun(deps, owner, { runId, claimNumber: 1, summary: "Done." }),
    );
    expect(codesOf(ended)).toEqual(Array.from({ length: 7 }, () => "claim_lost"));
    const dedupeKey = `automation_run:${runId}`;
    expect(await deps.db.prisma.webhookEvent.count({ where: { dedupeKey } })).toBe(1);
    expect(await claimRun(deps, owner, { leaseSeconds: 60 })).toMatchObject({ run: { id: next.id } });
  });
});

test("an agent is given the run that has waited longest, and before it one that another agent has left", async ({
  deps,
  external,
  make,
}) => {
  const { owner, automation } = await external();
  const first = await triggerAutomation(deps, owner, automation);
  const second = await triggerAutomation(deps, owner, await make.automation(owner, { agent: "external" }));
  const third = await triggerAutomation(deps, owner, await make.automation(owner, { agent: "external" }));
  const claim = async () => (await claimRun(deps, owner, { leaseSeconds: 60 }))?.run.id;
  expect([await claim(), await claim()]).toEqual([first.id, second.id]);
  await deps.db.pool.query("UPDATE automation_runs SET lease_until = now() - interval '1 s' WHERE id = $1", [
    second.id,
  ]);
  expect([await claim(), await claim(), await claim()]).toEqual([second.id, third.id, undefined]);
});

test("whoever watches a run hears of every change without asking again", async ({ deps, external }) => {
  const { owner, automation } = await external();
  const heard: string[] = [];
  const waiting: { length: number; resolve: () => void }[] = [];
  const listening = Promise.withResolvers<void>();
  const unsubscribe = deps.db.notices.subscribe("querybell_automation_run_changed", (id) => {
    if (id === undefined) return listening.resolve();
    heard.push(id);
    for (const { length, resolve } of waiting) if (heard.length >= length) resolve();
  });
  const hears = (length: number) =>
    new Promise<void>((resolve) => (heard.length >= length ? resolve() : waiting.push({ length, resolve })));
  await listening.promise;
  const run = await triggerAutomation(deps, owner, automation);
  const queued = await triggerAutomation(deps, owner, automation);
  await claimRun(deps, owner, { leaseSeconds: 60 });
  await hears(1);
  await completeClaimedRun(deps, owner, { runId: run.id, claimNumber: 1, summary: "Done." });
  await hears(3);
  // Claimed; ended, and the next one has its turn.
  expect(heard).toEqual([run.id, run.id, queued.id]);
  unsubscribe();
});

test("a subscriber who comes while the run is under way is notified of its end, once", async ({
  deps,
  external,
}) => {
  const { owner, automation } = await external();
  const { id: runId } = await triggerAutomation(deps, owner, automation);
  await claimRun(deps, owner, { leaseSeconds: 60 });
  const subscribers = [{ userId: owner.userId, inApp: true, byMail: true, onFailure: true, onSummary: true }];
  await updateAutomation(deps, owner, { id: automation.id, subscribers });
  const ended = { runId, claimNumber: 1, summary: "Done." };
  await completeClaimedRun(deps, owner, ended);
  await expect(completeClaimedRun(deps, owner, ended)).rejects.toMatchObject({ code: "claim_lost" });
  const notifications = await deps.db.prisma.notification.findMany({ where: { userId: owner.userId } });
  expect(notifications).toMatchObject([{ kind: "automation_summary", detail: { runId, summary: "Done." } }]);
});

test("a claim reads as little with 20,000 runs waiting elsewhere and 2,000 here", async ({
  deps,
  external,
}) => {
  const { owner, automation } = await external();
  await triggerAutomation(deps, owner, automation);
  const few = await blocksOfClaim(deps, owner);
  const other = await external();
  await triggerAutomation(deps, other.owner, other.automation);
  await multiply(deps, other.automation.id, 20_000);
  await multiply(deps, automation.id, 2_000);
  expect(await blocksOfClaim(deps, owner)).toBeLessThan(few * 3);
});

/** Copies an automation and its waiting run. */
async function multiply({ db }: Deps, automationId: string, count: number): Promise<void> {
  await db.pool.query(
    `WITH copied AS (
       INSERT INTO automations (id, organization_id, name, instruction, agent, enabled, when_busy, time_limit_seconds, created_by, created_at, updated_at)
       SELECT uuidv7(), organization_id, name, instruction, agent, enabled, when_busy, time_limit_seconds, created_by, created_at, updated_at
       FROM automations, generate_series(1, $2::int) WHERE id = $1 RETURNING id
     )
     INSERT INTO automation_runs (id, organization_id, automation_id, short_id, agent, trigger_id, brief, created_at, ready_at, revision)
     SELECT uuidv7(), r.organization_id, copied.id, translate(left(md5(copied.id::text), 10), '01', 'xy'), r.agent, r.trigger_id, r.brief,
       r.created_at, r.ready_at + interval '1 second', 1
     FROM automation_runs r, copied WHERE r.automation_id = $1`,
    [automationId, count],
  );
  await db.pool.query("VACUUM ANALYZE automation_runs");
}

/** How many blocks of tables and indexes a claim looks at, when Postgres has planned it already. It is rolled back. */
async function blocksOfClaim({ db, clock }: Deps, { organizationId }: Caller): Promise<number> {
  const client = await db.pool.connect();
  try {
    await client.query("BEGIN");
    const explain = async () => {
      await client.query("SAVEPOINT before");
      const { rows } = await client.query(
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM claim_external_run($1, NULL, $2, now(), 15, 5)",
        [organizationId, newId(clock)],
      );
      await client.query("ROLLBACK TO before");
      const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
      return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    };
    await explain();
    return await explain();
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}
