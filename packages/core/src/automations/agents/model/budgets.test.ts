import type { Caller } from "@querybell/domain";
import { startModelServer } from "@querybell/models/testing";
import { describe, expect } from "vitest";
import { getModel } from "../../../models/index.ts";
import {
  afterReading,
  rightSentence,
  salesSql,
  stageOf,
  summarize,
  modelTest as test,
} from "../../../testing/model-test.ts";
import { triggerAutomation } from "../../index.ts";

const script = afterReading(() => summarize(rightSentence));
/** What a run of the script uses, as the server counts it. */
const runTokens = 360;

describe("the organization's tokens of the month", () => {
  test("are never exceeded, however many runs go on at once", async ({ deps, make, models, runs }) => {
    const monthlyTokens = 20_000;
    const owner = await make.owner();
    const { organizationId } = owner;
    const counted: number[] = [];
    const count = async () => {
      const rows = await deps.db.prisma.modelUsage.findMany({ where: { organizationId } });
      counted.push(...rows.map(({ tokens }) => Number(tokens)));
    };
    await using server = await startModelServer((request) => {
      const turn = script(request, stageOf(request));
      return turn.kind === "say" ? { ...turn, until: count() } : turn;
    });
    await models.useModel(owner, server.url, monthlyTokens);
    const { shortId } = await make.reference(owner, salesSql, { title: "Revenue by month" });
    const automations = await Promise.all(
      Array.from({ length: 8 }, () => make.automation(owner, { agent: "model", references: [{ shortId }] })),
    );
    const triggered = await Promise.all(automations.map((one) => triggerAutomation(deps, owner, one)));
    const ended = await Promise.all(triggered.map(({ id }) => runs.end(owner, id)));
    const completed = ended.filter(({ status }) => status === "completed");
    expect(completed.length).toBeGreaterThan(0);
    for (const { failure } of ended) if (failure) expect(failure.code).toBe("budget_used");
    expect(counted.length).toBeGreaterThan(0);
    expect(Math.max(...counted)).toBeLessThanOrEqual(monthlyTokens);
    // What was reserved and not used is free again.
    const used = ended.reduce(
      (sum, { usage }) => sum + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
      0,
    );
    expect((await getModel(deps, owner)).usedTokens).toBe(used);
  });

  test("are each organization's own, and new with each month", async ({
    deps,
    make,
    models,
    runs,
    clock,
  }) => {
    await using server = await startModelServer((request) => script(request, stageOf(request)));
    const run = async (owner: Caller, automation: { id: string }) => {
      const { id } = await triggerAutomation(deps, owner, automation);
      return runs.end(owner, id);
    };
    const prepare = async () => {
      const owner = await make.owner();
      await models.useModel(owner, server.url, 20_000);
      const { shortId } = await make.reference(owner, salesSql, { title: "Revenue by month" });
      return {
        owner,
        automation: await make.automation(owner, { agent: "model", references: [{ shortId }] }),
      };
    };
    const [one, other] = [await prepare(), await prepare()];
    expect(await run(one.owner, one.automation)).toMatchObject({ status: "completed" });
    await models.useModel(one.owner, server.url, runTokens);
    expect(await run(one.owner, one.automation)).toMatchObject({ failure: { code: "budget_used" } });
    expect(await run(other.owner, other.automation)).toMatchObject({ status: "completed" });
    expect((await getModel(deps, other.owner)).usedTokens).toBe(runTokens);

    const now = clock.now();
    const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
    await clock.advance(nextMonth - now.getTime() - 1);
    expect((await getModel(deps, one.owner)).usedTokens).toBe(runTokens);
    expect(await run(one.owner, one.automation)).toMatchObject({ failure: { code: "budget_used" } });
    await clock.advance(1);
    expect((await getModel(deps, one.owner)).usedTokens).toBe(0);
    await models.useModel(one.owner, server.url, 20_000);
    expect(await run(one.owner, one.automation)).toMatchObject({ status: "completed" });
    const { organizationId } = one.owner;
    const rows = await deps.db.prisma.modelUsage.findMany({
      where: { organizationId },
      orderBy: { month: "asc" },
    });
    expect(rows.map(({ tokens }) => Number(tokens))).toEqual([runTokens, runTokens]);
  });

  test("are counted in the month in which a request was made, though its answer comes in the next", async ({
    deps,
    make,
    models,
    runs,
    clock,
  }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    const now = clock.now();
    const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
    await clock.advance(nextMonth - now.getTime() - 1);
    await using server = await startModelServer((request) => {
      const turn = script(request, stageOf(request));
      return turn.kind === "say" && stageOf(request) === 0 ? { ...turn, until: clock.advance(1) } : turn;
    });
    await models.useModel(owner, server.url);
    const { shortId } = await make.reference(owner, salesSql, { title: "Revenue by month" });
    const automation = await make.automation(owner, { agent: "model", references: [{ shortId }] });
    const { id } = await triggerAutomation(deps, owner, automation);
    expect(await runs.end(owner, id)).toMatchObject({ status: "completed", usage: { modelCalls: 3 } });
    const months = await deps.db.prisma.modelUsage.findMany({
      where: { organizationId },
      orderBy: { month: "asc" },
    });
    expect(months.map(({ tokens }) => Number(tokens))).toEqual([runTokens / 3, (runTokens / 3) * 2]);
  });
});
