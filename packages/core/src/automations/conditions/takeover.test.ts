import { ConditionRule } from "@querybell/domain";
import { expect } from "vitest";
import { startRunSlots } from "../../run-slots.ts";
import { claimOneAutomationRun } from "../../testing/index.ts";
import { runTest } from "../../testing/run-test.ts";
import { endAutomationRun, executeAutomationRun, triggerAutomation } from "../index.ts";
import { judgeAutomationRun } from "./judge-automation-run.ts";

/** Queries are executed; the test executes automation runs. */
const test = runTest.extend(
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

test("a run that two workers judge is told once, also if the first comes back", async ({
  deps,
  make,
  onError,
}) => {
  const owner = await make.owner();
  const { shortId } = await make.reference(owner, "SELECT 8 AS weight");
  const rule = ConditionRule.parse({
    condition: {
      kind: "figure",
      figure: { operation: "sum", column: "weight" },
      is: { operator: "more", to: { kind: "value", value: "7" } },
    },
    repeatAfterMinutes: 1,
  });
  const automation = await make.automation(owner, {
    references: [{ shortId }],
    condition: { shortId, rule },
  });
  const { signal } = new AbortController();
  const claim = async (id: string) => {
    const claimed = await claimOneAutomationRun(deps, id);
    if (!claimed) expect.unreachable("The run cannot be claimed.");
    return claimed;
  };
  const first = await triggerAutomation(deps, owner, automation);
  await executeAutomationRun(deps, await claim(first.id), { signal, onError });

  const { id } = await triggerAutomation(deps, owner, automation);
  const dying = await claim(id);
  const end = { kind: "completed", summary: "Heavy." } as const;
  const judgement = await judgeAutomationRun({ deps, run: dying, signal }, end);
  expect(judgement).toMatchObject({ judged: { told: { kind: "met" } } });
  await deps.db.pool.query("UPDATE automation_runs SET lease_until = now() WHERE id = $1", [id]);

  const next = await claim(id);
  expect(next.leaseNumber).toBe(2);
  await executeAutomationRun(deps, next, { signal, onError });
  expect(await endAutomationRun(deps, { ...dying, automationName: "A" }, end, judgement)).toBe(undefined);

  const told = await deps.db.prisma.webhookEvent.findMany({
    where: { organizationId: owner.organizationId, type: { startsWith: "automation.condition" } },
  });
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
