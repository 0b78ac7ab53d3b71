import { type getAutomationRun, triggerAutomation, watchChat } from "@querybell/core/automations";
import { updateModel } from "@querybell/core/models";
import {
  afterReading,
  rightSentence,
  rightText,
  salesSql,
  stageOf,
  summarize,
} from "@querybell/core/testing/model-test";
import type { Caller } from "@querybell/domain";
import { startModelServer } from "@querybell/models/testing";
import { describe, expect } from "vitest";
import { waitForChanges } from "./testing/wait-for-changes.ts";
import { workerTest as test } from "./testing/worker-test.ts";

type Deps = Parameters<typeof getAutomationRun>[0];

// Killed processes leave leases behind. This expires them at once.
const expireLeases = (deps: Deps) =>
  Promise.all(
    ["automation_runs", "query_runs"].map((table) =>
      deps.db.pool.query(
        `UPDATE ${table} SET lease_until = now() - interval '1 second' WHERE status = 'running'`,
      ),
    ),
  );

const stepsOf = ({ db }: Pick<Deps, "db">, runId: string) =>
  db.prisma.automationStep.findMany({ where: { runId }, orderBy: { position: "asc" } });

const useModel = (deps: Deps, owner: Caller, url: string) =>
  updateModel(deps, owner, {
    connection: { url, name: "scripted", apiKey: null },
    monthlyTokens: 10_000_000,
    consent: true,
  });

const signal = new AbortController().signal;

describe("when a worker is killed", () => {
  test("in the middle of an answer, what the model said is kept, and what it had done is not done again", async ({
    deps,
    make,
    startProcess,
    startHere,
  }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, salesSql, { title: "Revenue by month" });
    let isFirst = true;
    await using server = await startModelServer((request) =>
      afterReading(() => {
        if (!isFirst) return summarize(rightSentence);
        isFirst = false;
        return { kind: "hang", pieces: ["Revenue ", "has grown"] };
      })(request, stageOf(request)),
    );
    await useModel(deps, owner, server.url);
    const automation = await make.automation(owner, { agent: "model", references: [{ shortId }] });
    const { id } = await triggerAutomation(deps, owner, automation);
    const killed = await startProcess();
    for await (const { steps } of watchChat(deps, owner, { id, signal })) {
      if (steps.some(({ text }) => text === "Revenue has grown")) break;
    }
    await killed.kill("SIGKILL");
    const before = await stepsOf(deps, id);
    await expireLeases(deps);
    await startHere();
    for await (const _ of watchChat(deps, owner, { id, signal }));

    const after = await stepsOf(deps, id);
    expect(after.slice(0, 5)).toEqual(before.slice(0, 5));
    expect(
      after.map(({ name, tool, state, text }) => [tool ?? name, state, tool ? "" : text]).slice(5),
    ).toEqual([
      ["turn-003", "completed", "Revenue has grown"],
      ["turn-004", "completed", ""],
      ["write_summary", "completed", ""],
      ["summary", "completed", rightText],
    ]);
    expect(await deps.db.prisma.queryRun.count({ where: { triggerId: `automation_run:${id}` } })).toBe(1);
    const run = await deps.db.prisma.automationRun.findUniqueOrThrow({ where: { id } });
    expect(run).toMatchObject({ status: "completed", leaseNumber: 2, modelCalls: 4 });
    expect(await deps.db.prisma.webhookEvent.count({ where: { dedupeKey: `automation_run:${id}` } })).toBe(1);
    const usage = await deps.db.prisma.modelUsage.findFirst({
      where: { organizationId: owner.organizationId },
    });
    expect(Number(usage?.tokens)).toBe(run.inputTokens + run.outputTokens);
  });

  test("while its own SQL runs, the query that had started is finished, and no other is made", async ({
    deps,
    make,
    startProcess,
    startHere,
    gate,
    watch,
  }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1 AS one", { engine: "postgres" });
    const input = { shortId, title: "Five", sql: `SELECT ${gate.passing} AS gate, 5 AS weight` };
    await using server = await startModelServer((request) =>
      stageOf(request) === 0
        ? { kind: "say", calls: [{ name: "run_sql", input }] }
        : summarize("{{value weight}}."),
    );
    await useModel(deps, owner, server.url);
    const references = [{ shortId }];
    const automation = await make.automation(owner, { agent: "model", allowsSql: true, references });
    const { id } = await triggerAutomation(deps, owner, automation);
    const killed = await startProcess();
    let queryRunId: string | null | undefined;
    for await (const { steps } of watchChat(deps, owner, { id, signal })) {
      queryRunId = steps.find(({ tool }) => tool === "run_sql")?.queryRunId;
      if (queryRunId) break;
    }
    await watch(owner, queryRunId ?? "", ({ status }) => status === "running");
    await killed.kill("SIGKILL");
    await expireLeases(deps);
    await gate.open();
    await startHere();
    for await (const _ of watchChat(deps, owner, { id, signal }));

    const run = await deps.db.prisma.automationRun.findUniqueOrThrow({ where: { id } });
    expect(run).toMatchObject({
      status: "completed",
      summary: 'By SQL of the model, "weight" is 5.',
      leaseNumber: 2,
      modelCalls: 2,
    });
    const queries = await deps.db.prisma.query.findMany({
      where: { automationRunId: id },
      include: { runs: true },
    });
    expect(queries.map(({ runs }) => runs.map((one) => one.id))).toEqual([[queryRunId]]);
    expect((await stepsOf(deps, id)).map(({ name, tool }) => tool ?? name)).toEqual([
      "instruction",
      "turn-001",
      "run_sql",
      "turn-002",
      "write_summary",
      "summary",
    ]);
  });

  // `pnpm bench model-crash-test` does the same with 200 runs.
  test("again and again, every run ends once, within its budget, and no call is made twice", async ({
    deps,
    make,
    startProcess,
    startHere,
  }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, salesSql, {
      title: "Revenue by month",
      engine: "duckdb",
    });
    await using server = await startModelServer((request) =>
      afterReading((_, stage) =>
        stage === 0
          ? {
              kind: "say",
              pieces: ["Looking."],
              calls: [
                { name: "read_result", input: { result: "r1" } },
                { name: "run_sql", input: { shortId, title: "Fruits", sql: "SELECT name FROM fruits" } },
              ],
            }
          : summarize(rightSentence.replace("{{value ", "{{value result=r1 ")),
      )(request, stageOf(request)),
    );
    await useModel(deps, owner, server.url);
    const triggered: string[] = [];
    const budget = { steps: 40, tokens: 60_000 };
    for (let index = 0; index < 4; index++) {
      const automation = await make.automation(owner, {
        agent: "model",
        allowsSql: true,
        references: [{ shortId }],
        budget,
      });
      triggered.push((await triggerAutomation(deps, owner, automation)).id);
    }
    const unfinished = () => deps.db.prisma.automationRun.count({ where: { completedAt: null } });
    for (const changes of [5, 12]) {
      // Each worker is killed in another place.
      const changed = waitForChanges(deps.db, changes);
      const victim = await startProcess();
      await changed;
      await victim.kill("SIGKILL");
      expect(await unfinished()).toBeGreaterThan(0);
      await expireLeases(deps);
    }
    await startHere();
    for (const id of triggered) for await (const _ of watchChat(deps, owner, { id, signal }));

    for (const id of triggered) {
      const run = await deps.db.prisma.automationRun.findUniqueOrThrow({ where: { id } });
      expect(run).toMatchObject({
        status: "completed",
        summary: rightText.replace("Revenue", 'In "Revenue by month", revenue'),
      });
      expect(run.inputTokens + run.outputTokens).toBeLessThanOrEqual(budget.tokens);
      const tools = (await stepsOf(deps, id)).flatMap(({ tool }) => tool ?? []);
      expect(tools.toSorted()).toEqual([
        "list_references",
        "read_result",
        "run_query",
        "run_sql",
        "write_summary",
      ]);
      // The reference's run may be shared with other automations; that of its own SQL is not.
      expect(
        await deps.db.prisma.queryRun.count({ where: { triggerId: `automation_run:${id}` } }),
      ).toBeLessThanOrEqual(2);
      expect(await deps.db.prisma.queryRun.count({ where: { query: { automationRunId: id } } })).toBe(1);
    }
    const events = await deps.db.prisma.webhookEvent.findMany({
      where: { organizationId: owner.organizationId },
    });
    expect(events.map(({ dedupeKey }) => dedupeKey).sort()).toEqual(
      triggered.map((id) => `automation_run:${id}`).sort(),
    );
    const runs = await deps.db.prisma.automationRun.findMany({ where: { id: { in: triggered } } });
    const usage = await deps.db.prisma.modelUsage.findFirst({
      where: { organizationId: owner.organizationId },
    });
    expect(Number(usage?.tokens)).toBe(
      runs.reduce((sum, run) => sum + run.inputTokens + run.outputTokens, 0),
    );
  });
});
