import { type Caller, ConditionRule, CreateWebhookEndpoint, newId } from "@querybell/domain";
import { expect } from "vitest";
import type { z } from "zod";
import { createDestination } from "../../destinations/index.ts";
import { updateQuery } from "../../queries/index.ts";
import { startRunSlots } from "../../run-slots.ts";
import { claimOneAutomationRun } from "../../testing/index.ts";
import { runTest } from "../../testing/run-test.ts";
import { createEndpoint } from "../../webhooks/index.ts";
import { endAutomationRun, executeAutomationRun, triggerAutomation, updateAutomation } from "../index.ts";
import { judgeAutomationRun } from "./judge-automation-run.ts";

/** Queries are executed; the test executes automation runs. */
const slotsTest = runTest.extend(
  "querySlots",
  { scope: "file", auto: true },
  ({ deps, onError }, { onCleanup }) => {
    const slots = startRunSlots({
      deps,
      queryRuns: { slots: 2, perOrganization: 20, total: null },
      automationRuns: { slots: 0, perOrganization: 20, total: null },
      pollEveryMs: 200,
      onError,
    });
    onCleanup(() => slots.stop());
    return slots;
  },
);

type Rule = z.input<typeof ConditionRule>;

/** Runs an automation once, and a second time with another query: judged by a worker that loses it, and by the next. */
const test = slotsTest.extend("judgeTwice", { scope: "file" }, ({ deps, make, onError }) => {
  return async (owner: Caller, { rule, sql, laterSql }: { rule: Rule; sql: string; laterSql: string }) => {
    const { shortId, currentQuery } = await make.reference(owner, sql);
    const automation = await make.automation(owner, {
      references: [{ shortId }],
      condition: { shortId, rule: ConditionRule.parse(rule) },
    });
    const { signal } = new AbortController();
    const claim = async (id: string) => {
      const claimed = await claimOneAutomationRun(deps, id);
      if (!claimed) expect.unreachable("The run cannot be claimed.");
      return claimed;
    };
    const first = await triggerAutomation(deps, owner, automation);
    await executeAutomationRun(deps, await claim(first.id), { signal, onError });
    await updateQuery(deps, owner, { id: currentQuery?.id ?? "", sql: laterSql });

    const { id } = await triggerAutomation(deps, owner, automation);
    const dying = await claim(id);
    const end = { kind: "completed", summary: "Heavy." } as const;
    const judgement = await judgeAutomationRun({ deps, run: dying, signal, answers: new Map() }, end);
    expect(judgement).toMatchObject({ judged: { told: { kind: "met" } } });
    await deps.db.pool.query("UPDATE automation_runs SET lease_until = now() WHERE id = $1", [id]);

    const next = await claim(id);
    expect(next.leaseNumber).toBe(2);
    await executeAutomationRun(deps, next, { signal, onError });
    expect(await endAutomationRun(deps, { ...dying, automationName: "A" }, end, { judgement })).toBe(
      undefined,
    );
    const told = await deps.db.prisma.webhookEvent.findMany({
      where: { organizationId: owner.organizationId, NOT: { type: { startsWith: "automation.run" } } },
      orderBy: { id: "asc" },
    });
    return { automation, first, id, told };
  };
});

test("a run that two workers judge is told once, also if the first comes back", async ({
  deps,
  make,
  judgeTwice,
}) => {
  const rule: Rule = {
    condition: {
      kind: "figure",
      figure: { operation: "sum", column: "weight" },
      is: { operator: "more", to: { kind: "value", value: "7" } },
    },
    repeatAfterMinutes: 1,
  };
  const sql = "SELECT 8 AS weight";
  const { automation, first, id, told } = await judgeTwice(await make.owner(), { rule, sql, laterSql: sql });
  expect(told.map(({ dedupeKey }) => dedupeKey)).toEqual([`automation_condition:${id}`]);
  const judgements = await deps.db.prisma.conditionJudgement.findMany({
    where: { automationId: automation.id },
  });
  expect(judgements.map(({ runId, told: kind }) => [runId, kind]).sort()).toEqual(
    [
      [first.id, null],
      [id, "met"],
    ].sort(),
  );
});

test("the rows that two workers saw change are each in one event", async ({ deps, make, judgeTwice }) => {
  const owner = await make.owner();
  const endpoint = { url: "http://127.0.0.1:9/", eventTypes: ["automation.rows.changed"] };
  await createEndpoint(deps, owner, CreateWebhookEndpoint.parse(endpoint));
  const { id, told } = await judgeTwice(owner, {
    rule: { condition: { kind: "rows_changed", changes: ["entered"], key: ["id"] } },
    sql: "SELECT id FROM range(1) AS t(id)",
    laterSql: "SELECT id FROM range(301) AS t(id)",
  });
  expect(told.map(({ dedupeKey }) => dedupeKey)).toEqual([
    `automation_condition:${id}`,
    `automation_rows:${id}:1`,
    `automation_rows:${id}:2`,
  ]);
});

test("a run that tells nothing ends with its judgement, and without it if the condition is changed meanwhile", async ({
  deps,
  make,
  querySlots: _,
}) => {
  const owner = await make.owner();
  const { shortId } = await make.reference(owner, "SELECT 'North' AS region");
  const rule = (kind: "failed" | "cut") => ConditionRule.parse({ condition: { kind } });
  const automation = await make.automation(owner, {
    references: [{ shortId }],
    condition: { shortId, rule: rule("failed") },
    subscribers: [{ userId: owner.userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
  });
  const end = { kind: "completed", summary: "Done." } as const;
  const endAfter = async (meanwhile: (run: { id: string }) => Promise<unknown>) => {
    const { id } = await triggerAutomation(deps, owner, automation);
    const run = await claimOneAutomationRun(deps, id);
    if (!run) return expect.unreachable("The run cannot be claimed.");
    const work = { deps, run, signal: new AbortController().signal, answers: new Map() };
    const judgement = await judgeAutomationRun(work, end);
    expect(judgement).toMatchObject({ judged: { told: null, state: { status: "normal" } } });
    await meanwhile(run);
    const endedAt = await endAutomationRun(deps, { ...run, automationName: "A" }, end, { judgement });
    const judgements = await deps.db.prisma.conditionJudgement.findMany({ where: { runId: id } });
    return {
      hasEnded: endedAt !== undefined,
      statuses: judgements.map(({ status, at }) => [status, at.getTime() === endedAt?.getTime()]),
    };
  };
  expect(await endAfter(async () => {})).toEqual({ hasEnded: true, statuses: [["normal", true]] });
  const takeOver = ({ id }: { id: string }) =>
    deps.db.pool.query("UPDATE automation_runs SET lease_number = lease_number + 1 WHERE id = $1", [id]);
  const change = () =>
    updateAutomation(deps, owner, { id: automation.id, condition: { shortId, rule: rule("cut") } });
  expect(await endAfter(change)).toEqual({ hasEnded: true, statuses: [] });
  expect(await endAfter(takeOver)).toEqual({ hasEnded: false, statuses: [] });
  const states = await deps.db.prisma.automationConditionState.findMany({
    where: { automationId: automation.id },
  });
  expect(states.map(({ status }) => status)).toEqual([null]);
  expect(await deps.db.prisma.notification.count({ where: { userId: owner.userId } })).toBe(0);
});

test("a run whose condition is changed while it ends sends nothing to recipients", async ({
  deps,
  make,
  querySlots: _,
}) => {
  const owner = await make.owner();
  const { id: endpointId } = await createDestination(deps, owner, {
    ...({ kind: "slack", name: "#north" } as const),
    url: "http://127.0.0.1:9/hook",
  });
  const { shortId } = await make.reference(owner, "SELECT 'North' AS region");
  const rule = ConditionRule.parse({ condition: { kind: "failed" } });
  const automation = await make.automation(owner, {
    references: [{ shortId }],
    condition: { shortId, rule },
  });
  const end = { kind: "completed", summary: "Done." } as const;
  const messagesAfter = async (meanwhile: () => Promise<unknown>) => {
    const { id } = await triggerAutomation(deps, owner, automation);
    const run = await claimOneAutomationRun(deps, id);
    if (!run) return expect.unreachable("The run cannot be claimed.");
    const judgement = await judgeAutomationRun(
      { deps, run, signal: new AbortController().signal, answers: new Map() },
      end,
    );
    const messages = {
      events: [{ eventId: newId(deps.clock), endpointId, body: "{}" }],
      outcome: { told: [], leftOut: [], leftOutCount: 0, emptyCount: 0 },
    };
    await meanwhile();
    await endAutomationRun(deps, { ...run, automationName: "A" }, end, { judgement, messages });
    return deps.db.prisma.runRecipients.count({ where: { runId: id } });
  };
  const other = { shortId, rule: ConditionRule.parse({ condition: { kind: "cut" } }) };
  expect(await messagesAfter(async () => {})).toBe(1);
  expect(
    await messagesAfter(() => updateAutomation(deps, owner, { id: automation.id, condition: other })),
  ).toBe(0);
});
