import { withRights } from "@querybell/db";
import { ConditionRule } from "@querybell/domain";
import { describe, expect } from "vitest";
import { setFolderAccess } from "../../access/index.ts";
import { createFolder } from "../../folders/index.ts";
import { moveItems } from "../../library/index.ts";
import { type Rule, conditionTest as test } from "../../testing/condition-test.ts";
import {
  acknowledgeCondition,
  listConditionChanges,
  snoozeCondition,
  triggerAutomation,
  updateAutomation,
} from "../index.ts";

const sumIsMoreThan = (value: string, rest: Omit<Rule, "condition"> = {}): Rule => ({
  condition: {
    kind: "figure",
    figure: { operation: "sum", column: "weight" },
    is: { operator: "more", to: { kind: "value", value } },
  },
  ...rest,
});

const changedRows: Rule = {
  condition: { kind: "rows_changed", changes: ["entered", "left", "changed"], key: ["name"] },
};

const weightIs = (weight: number | string) => `SELECT 'apple' AS name, ${weight} AS weight`;

describe("an automation with a condition", () => {
  test("tells once when it is met and once when it is resolved, with the values", async ({
    watched,
    runs,
  }) => {
    const { run, runWith, state, events, notifications, automation, condition, owner } = await watched(
      sumIsMoreThan("7"),
    );
    expect(await state()).toMatchObject({ status: null, judgedAt: null });
    await run();
    expect(await state()).toMatchObject({ status: "normal", since: null });
    const met = await runWith(weightIs(8));
    expect(met.status).toBe("completed");
    await run();
    expect(await state()).toMatchObject({ status: "met", reason: expect.stringMatching(/still holds/) });
    const resolved = await runWith(weightIs(6));
    expect(await state()).toMatchObject({ status: "resolved", since: null });
    const fact = { kind: "figure", name: "sum of weight", compared: "7" };
    const about = { automationId: automation.id, chart: condition.shortId };
    expect(await events()).toEqual([
      {
        type: "automation.condition.met",
        data: expect.objectContaining({
          ...about,
          runId: met.id,
          isAgain: false,
          chatUrl: met.chatUrl,
          facts: [expect.objectContaining({ ...fact, value: "8", difference: "1" })],
        }),
      },
      {
        type: "automation.condition.resolved",
        data: expect.objectContaining({
          ...about,
          runId: resolved.id,
          facts: [expect.objectContaining({ ...fact, value: "6" })],
        }),
      },
    ]);
    // The end of each run is emitted, whether it speaks or not.
    const ends = (await runs.events(owner)).filter(({ type }) => type === "automation.run.completed");
    expect(ends).toHaveLength(4);
    // Subscribers get the summaries of the two runs that spoke.
    expect(await notifications()).toBe(2);
  });

  test("says which values made a sum move since the last run, and when that cannot be said", async ({
    watched,
  }) => {
    const sales = (france: string, spain: string, day = "2026-11-01") =>
      `SELECT * FROM (VALUES ('France', ${france}, DATE '${day}'), ('Spain', ${spain}, DATE '${day}')) AS t(country, revenue, day)`;
    const lessThanBefore = (operation: string): Rule => ({
      condition: {
        kind: "figure",
        figure: { operation: operation as "sum", column: "revenue" },
        is: { operator: "less", to: { kind: "last_run" } },
      },
    });
    const sum = await watched(lessThanBefore("sum"), sales("10.25", "5"));
    await sum.run();
    await sum.runWith(sales("4.25", "4.75"));
    const average = await watched(lessThanBefore("average"), sales("10", "5"));
    await average.run();
    await average.runWith(sales("4", "5"));
    const factsOf = async ({ events }: typeof sum) =>
      (await events()).map(({ data }) => (data as { facts: unknown }).facts);
    expect(await factsOf(sum)).toEqual([
      [
        expect.objectContaining({ kind: "figure", difference: "-6.25" }),
        {
          kind: "text",
          text: 'The sum of revenue fell by 6.25, from 15.25 to 9. "country" = "France" changed it by -6 (96% of the change), everything else by -0.25.',
        },
      ],
    ]);
    expect(await factsOf(average)).toEqual([
      [
        expect.objectContaining({ kind: "figure" }),
        { kind: "text", text: "It cannot be said why: parts of an average do not add up to the whole." },
      ],
    ]);
  });

  test("tells a failed run, if that is the condition, and has no data otherwise", async ({ watched }) => {
    const failing = await watched({ condition: { kind: "failed" } });
    await failing.run();
    await failing.runWith("SELECT * FROM vegetables");
    expect((await failing.events()).map(({ type }) => type)).toEqual(["automation.condition.met"]);
    const other = await watched(sumIsMoreThan("7"), "SELECT * FROM vegetables");
    await other.run();
    expect(await other.state()).toMatchObject({ status: "no_data", reason: "The run failed." });
  });

  test("stores what it can of text that Postgres cannot store", async ({ watched }) => {
    const { run, runWith, events } = await watched({
      condition: {
        kind: "figure",
        figure: { operation: "value", column: "name" },
        is: { operator: "not_equals", to: { kind: "value", value: "apple" } },
      },
    });
    await run();
    await runWith("SELECT 'left' || chr(0) || 'right' AS name");
    expect(await events()).toMatchObject([{ data: { facts: [{ value: "leftright" }] } }]);
  });

  test("lists the runs in which its state changed", async ({ watched, deps }) => {
    const { owner, automation, run, runWith } = await watched(sumIsMoreThan("7"));
    await run();
    await run();
    const met = await runWith(weightIs(8));
    const { items } = await listConditionChanges(deps, owner, automation);
    expect(items).toMatchObject([
      { runId: met.id, status: "met", previousStatus: "normal", told: "met", toldPeople: true },
      { status: "normal", previousStatus: null, told: null },
    ]);
  });
});

describe("changed rows", () => {
  const rows = (...pairs: [string, number][]) =>
    pairs.map(([name, weight]) => `SELECT '${name}' AS name, ${weight} AS weight`).join(" UNION ALL ");

  test("are compared with the last result that no limit cut and whose rows can be told apart", async ({
    watched,
  }) => {
    const { run, runWith, events, state } = await watched(changedRows, rows(["a", 1], ["b", 2]));
    await run();
    expect(await events()).toEqual([]);
    await runWith(rows(["a", 1], ["a", 2]));
    expect(await state()).toMatchObject({ status: "no_data", reason: expect.stringMatching(/same name/) });
    // Compared with the first result, not with the one in between.
    await runWith(rows(["a", 1], ["b", 3], ["c", 4]));
    await run();
    const facts = [{ kind: "rows", entered: 1, left: 0, changed: 1 }];
    expect(await events()).toMatchObject([{ type: "automation.condition.met", data: { facts } }]);
  });

  test("need columns that identify a row, which is checked when the condition is saved", async ({
    watched,
    deps,
  }) => {
    const { run, owner, automation, condition } = await watched(sumIsMoreThan("7"), rows(["a", 1], ["a", 2]));
    await run();
    const rule = ConditionRule.parse(changedRows);
    await expect(
      updateAutomation(deps, owner, { id: automation.id, condition: { ...condition, rule } }),
    ).rejects.toMatchObject({ code: "invalid_request", message: expect.stringMatching(/^Several rows/) });
  });
});

describe("people", () => {
  test("acknowledge that it is met: it is not told again until it is resolved", async ({
    watched,
    deps,
    clock,
  }) => {
    const { owner, automation, run, runWith, events, state } = await watched(
      sumIsMoreThan("7", { repeatAfterMinutes: 1 }),
    );
    await expect(acknowledgeCondition(deps, owner, automation)).rejects.toMatchObject({ code: "conflict" });
    await run();
    await runWith(weightIs(8));
    await acknowledgeCondition(deps, owner, automation);
    await clock.advance(120_000);
    await run();
    expect(await events()).toHaveLength(1);
    expect(await state()).toMatchObject({ status: "met", acknowledged: { by: owner.userId } });
    await runWith(weightIs(1));
    expect(await state()).toMatchObject({ status: "resolved", acknowledged: null });
  });

  test("are told after a snooze what was met during it; endpoints are told at once", async ({
    watched,
    deps,
    clock,
  }) => {
    const { owner, automation, run, runWith, events, notifications } = await watched(sumIsMoreThan("7"));
    await run();
    const until = new Date(deps.clock.now().getTime() + 3_600_000).toISOString();
    await snoozeCondition(deps, owner, { id: automation.id, until });
    await runWith(weightIs(8));
    expect(await events()).toHaveLength(1);
    expect(await notifications()).toBe(0);
    await clock.advance(3_600_001);
    await run();
    expect(await events()).toMatchObject([{ data: { isAgain: false } }, { data: { isAgain: true } }]);
    expect(await notifications()).toBe(1);
    await run();
    expect(await notifications()).toBe(1);
  });
});

test("whoever may only see an automation can neither acknowledge nor snooze", async ({
  watched,
  deps,
  make,
}) => {
  const { owner, automation, run } = await watched(sumIsMoreThan("3"));
  await run();
  await run();
  const viewer = await make.member(owner.organizationId, "viewer");
  const { id: folderId } = await createFolder(deps, owner, { name: "Alarms", parentId: null });
  await moveItems(deps, owner, { items: [{ kind: "automation", id: automation.id }], folderId });
  const member = await make.member(owner.organizationId);
  const everybody = { kind: "everybody" } as const;
  await setFolderAccess(deps, owner, { folderId, grants: [{ grantee: everybody, level: "see" }] });
  const until = new Date(deps.clock.now().getTime() + 3_600_000).toISOString();
  for (const caller of [member, viewer]) {
    const asCaller = async (work: () => Promise<unknown>) => withRights(await deps.rights.of(caller), work);
    const acts = [
      () => acknowledgeCondition(deps, caller, automation),
      () => snoozeCondition(deps, caller, { id: automation.id, until }),
    ];
    for (const act of acts) await expect(asCaller(act)).rejects.toMatchObject({ code: "forbidden" });
  }
});

describe("saving a condition", () => {
  test("keeps runs that were triggered before quiet", async ({ watched, deps, runs }) => {
    const { owner, automation, condition, notifications } = await watched(sumIsMoreThan("3"));
    const { id } = await triggerAutomation(deps, owner, automation);
    const rule = ConditionRule.parse(sumIsMoreThan("4"));
    await updateAutomation(deps, owner, { id: automation.id, condition: { ...condition, rule } });
    expect(await runs.end(owner, id)).toMatchObject({ status: "completed" });
    expect(await notifications()).toBe(0);
    await updateAutomation(deps, owner, { id: automation.id, condition: null });
    await runs.end(owner, (await triggerAutomation(deps, owner, automation)).id);
    expect(await notifications()).toBe(1);
  });

  test("that has changed starts again; one that has not goes on", async ({ watched, deps }) => {
    const { owner, automation, run, state, condition } = await watched(sumIsMoreThan("7"));
    await run();
    const { id } = automation;
    await updateAutomation(deps, owner, { id, name: "Renamed", condition });
    expect(await state()).toMatchObject({ status: "normal" });
    const rule = ConditionRule.parse(sumIsMoreThan("9"));
    await updateAutomation(deps, owner, { id, condition: { ...condition, rule } });
    expect(await state()).toMatchObject({ status: null });
    await updateAutomation(deps, owner, { id, condition: null });
    expect(await state()).toBe(null);
  });

  test("is refused for an external agent and for a chart that the automation does not look at", async ({
    watched,
    deps,
  }) => {
    const { owner, automation, condition } = await watched(sumIsMoreThan("7"));
    const { id } = automation;
    await expect(updateAutomation(deps, owner, { id, agent: "external" })).rejects.toMatchObject({
      errors: [{ path: "condition" }],
    });
    await expect(
      updateAutomation(deps, owner, { id, condition: { ...condition, shortId: "other" } }),
    ).rejects.toMatchObject({ errors: [{ path: "condition.shortId" }] });
  });
});
