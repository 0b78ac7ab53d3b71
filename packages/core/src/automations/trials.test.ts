import { ListAutomationRuns, ListAutomations, TryAutomation } from "@querybell/domain";
import { exitPragma } from "@querybell/engines/testing/native-call";
import { startModelServer } from "@querybell/models/testing";
import { describe, expect, onTestFinished, vi } from "vitest";
import { getModel } from "../models/index.ts";
import { purgeHistory } from "../retention/index.ts";
import {
  afterReading,
  rightSentence,
  rightText,
  salesSql,
  stageOf,
  summarize,
  modelTest as test,
} from "../testing/model-test.ts";
import { listAutomationRuns, listAutomations, triggerAutomation, tryAutomation } from "./index.ts";

describe("a trial", () => {
  test("has its SQL validated before DuckDB evaluates anything of it", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    for (const sql of ["PRAGMA table_info(error('EVALUATED ' || version()))", await exitPragma(77)]) {
      const { shortId } = await make.reference(owner, sql);
      const values = { name: "A", instruction: "B", references: [{ shortId }] };
      const { id } = await tryAutomation(deps, owner, TryAutomation.parse(values));
      await runs.end(owner, id);
      expect(JSON.stringify(await runs.steps(owner, id))).toContain("write a SELECT");
    }
  });

  test("shows what would come, is compared with the automation that is changed, and tells nobody", async ({
    deps,
    make,
    runs,
  }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 'apple' AS name, 3 AS weight", {
      title: "Fruits",
    });
    const automation = await make.automation(owner, {
      references: [{ shortId }],
      subscribers: [{ userId: owner.userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
    });
    const saved = await triggerAutomation(deps, owner, automation);
    await runs.end(owner, saved.id);
    const told = () => deps.db.prisma.notification.count({ where: { userId: owner.userId } });
    expect(await told()).toBe(1);

    const values = { id: automation.id, name: "Changed", instruction: "Say it.", references: [{ shortId }] };
    const trial = await tryAutomation(deps, owner, TryAutomation.parse(values));
    expect(trial).toMatchObject({ isTrial: true, automationName: "Changed", status: "pending" });
    const ended = await runs.end(owner, trial.id);
    expect(ended).toMatchObject({
      isTrial: true,
      status: "completed",
      summary: '"Fruits": weight is 3. Nothing has changed since the last run.',
    });
    expect((await runs.steps(owner, trial.id)).map(({ tool, name }) => tool ?? name)).toEqual([
      "instruction",
      "list_references",
      "run_query",
      "summary",
    ]);

    expect(await runs.events(owner)).toHaveLength(1);
    expect(await told()).toBe(1);
    const listed = await listAutomationRuns(deps, owner, ListAutomationRuns.parse({}));
    expect(listed.items.map(({ id }) => id)).toEqual([saved.id]);
    expect((await listAutomations(deps, owner, ListAutomations.parse({}))).items).toHaveLength(1);

    // The next run is compared with the run before, not with the trial.
    const stored = await deps.db.prisma.automationResult.findMany({
      where: { organizationId: owner.organizationId },
    });
    expect(stored.map(({ runId }) => runId)).toEqual([saved.id]);
  });

  test("is compared with nothing if the automation replaces its last result meanwhile", async ({
    deps,
    make,
    runs,
  }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 'apple' AS name, 3 AS weight");
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const saved = await triggerAutomation(deps, owner, automation);
    await runs.end(owner, saved.id);
    const { compute } = deps.engines;
    const computing = vi.spyOn(deps.engines, "compute").mockImplementation(async (request, options) => {
      if (request.operation.name === "describe")
        await deps.db.prisma.automationResult.deleteMany({ where: { runId: saved.id } });
      return compute(request, options);
    });
    onTestFinished(() => computing.mockRestore());
    const values = { id: automation.id, name: "Changed", instruction: "Say it.", references: [{ shortId }] };
    const trial = await tryAutomation(deps, owner, TryAutomation.parse(values));
    expect(await runs.end(owner, trial.id)).toMatchObject({
      status: "completed",
      summary: expect.stringMatching(/weight is 3\.$/),
    });
  });

  test("of a model counts against the month's tokens", async ({ deps, make, runs, models }) => {
    const script = afterReading(() => summarize(rightSentence));
    await using server = await startModelServer((request) => script(request, stageOf(request)));
    const owner = await make.owner();
    await models.useModel(owner, server.url);
    const { shortId } = await make.reference(owner, salesSql, { title: "Revenue by month" });
    const values = { name: "A", instruction: "Say it.", references: [{ shortId }], agent: "model" };
    const { id } = await tryAutomation(deps, owner, TryAutomation.parse(values));
    expect(await runs.end(owner, id)).toMatchObject({ status: "completed", summary: rightText });
    expect(await runs.events(owner)).toEqual([]);
    expect((await getModel(deps, owner)).usedTokens).toBe(360);
  });

  test("that fails tells nobody either, and the person can try again", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 / 0 AS one WHERE error('no')", {
      title: "Broken",
    });
    const values = TryAutomation.parse({ name: "A", instruction: "B", references: [{ shortId }] });
    for (let time = 0; time < 2; time++) {
      const { id } = await tryAutomation(deps, owner, values);
      expect(await runs.end(owner, id)).toMatchObject({
        status: "failed",
        failure: { code: "query_failed" },
      });
    }
    expect(await runs.events(owner)).toEqual([]);
  });

  test("is one at a time: of two at the same moment, one runs", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const values = TryAutomation.parse({
      id: automation.id,
      name: "A",
      instruction: "B",
      references: [{ shortId }],
    });
    const tried = await Promise.allSettled([1, 2, 3, 4].map(() => tryAutomation(deps, owner, values)));
    const [started, ...others] = tried.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(others).toEqual([]);
    for (const one of tried) {
      if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "automation_busy" });
    }
    expect(await runs.end(owner, started?.id ?? "")).toMatchObject({ status: "completed" });
    const where = { organizationId: owner.organizationId };
    expect(await deps.db.prisma.automationRun.count({ where })).toBe(1);
    expect(await deps.db.prisma.automation.count({ where })).toBe(2);
    await runs.end(owner, (await tryAutomation(deps, owner, values)).id);
  });

  test("is kept for a day", async ({ deps, make, runs, clock }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one");
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const values = TryAutomation.parse({ name: "A", instruction: "B", references: [{ shortId }] });
    const { id } = await tryAutomation(deps, owner, values);
    await runs.end(owner, id);
    await clock.advance(86_000_000);
    await purgeHistory(deps);
    expect(await deps.db.prisma.automationRun.count({ where: { id } })).toBe(1);
    await clock.advance(1_000_000);
    await purgeHistory(deps);
    expect(await deps.db.prisma.automationRun.count({ where: { id } })).toBe(0);
    expect(await deps.db.prisma.automation.count({ where: { id: automation.id } })).toBe(1);
  });
});
