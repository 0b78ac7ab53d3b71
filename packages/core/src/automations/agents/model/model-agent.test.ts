import { type ChatRequest, lastToolTexts, startModelServer, type Turn } from "@querybell/models/testing";
import { describe, expect } from "vitest";
import { getModel } from "../../../models/index.ts";
import {
  afterListing,
  afterReading,
  rightSentence,
  rightText,
  shortIdIn,
  summarize,
  modelTest as test,
  wrongSentence,
} from "../../../testing/model-test.ts";
import { triggerAutomation } from "../../index.ts";

describe("a model", () => {
  test("reads the automation's references and writes a summary that is checked", async ({
    models,
    runs,
    deps,
  }) => {
    const made = await models.run(
      afterReading(() => summarize(rightSentence)),
      { inNewOrganization: true },
    );
    expect(made.run).toMatchObject({ status: "completed", summary: rightText });
    expect(made.run.usage).toEqual({ modelCalls: 3, inputTokens: 300, outputTokens: 60 });
    expect(made.steps.map(({ name, tool, state }) => [tool ?? name, state])).toEqual([
      ["instruction", "completed"],
      ["turn-001", "completed"],
      ["list_references", "completed"],
      ["turn-002", "completed"],
      ["run_query", "completed"],
      ["turn-003", "completed"],
      ["write_summary", "completed"],
      ["summary", "completed"],
    ]);
    expect(made.steps[1]?.text).toBe("First, what is there.");
    expect(made.keys).toEqual(["Bearer secret", "Bearer secret", "Bearer secret"]);
    expect(made.summaries.at(-1)?.[0]?.parts[1]).toEqual({
      start: rightText.indexOf("2,360,000"),
      end: rightText.indexOf("2,360,000") + "2,360,000".length,
      sources: [
        {
          step: `run_query:${made.shortId}`,
          title: "Revenue by month",
          isOwnSql: false,
          column: "revenue",
          rows: [2],
        },
      ],
    });
    expect(await runs.events(made.owner)).toMatchObject([
      { type: "automation.run.completed", data: { summary: rightText } },
    ]);
    expect((await getModel(deps, made.owner)).usedTokens).toBe(360);
  });

  test("looks into results in an engine host, and compares with the run before", async ({
    models,
    deps,
    runs,
  }) => {
    const answers: string[] = [];
    const calls = [
      {
        name: "read_result",
        input: {
          result: "r1",
          where: [{ column: "orders", operator: "more", value: 50 }],
          sort: [{ column: "orders" }],
        },
      },
      {
        name: "aggregate_result",
        input: { result: "r1", groupBy: ["product"], measures: [{ operation: "sum", column: "revenue" }] },
      },
      { name: "changes_since_last_run", input: { result: "r1" } },
    ];
    const script = afterReading((request, stage): Turn => {
      if (stage === 0) return { kind: "say", calls };
      answers.push(...lastToolTexts(request));
      return summarize(rightSentence);
    });
    const first = await models.run(script);
    expect(first.run.status).toBe("completed");
    expect(JSON.parse(answers[0] ?? "")).toMatchObject({
      rowCount: 2,
      rows: [
        { row: 2, cells: ["2026-10-01", "Kettle", "2360000.00", 90] },
        { row: 1, cells: ["2026-09-01", "Kettle", "2269230.77", 100] },
      ],
    });
    expect(JSON.parse(answers[1] ?? "")).toMatchObject({
      rows: [{ cells: ["Kettle", "4629230.77"] }, { cells: ["Pan", "120.5"] }],
    });
    expect(answers[2]).toContain("No earlier run");

    await using server = await startModelServer((request) =>
      script(request, request.messages.filter(({ role }) => role === "assistant").length),
    );
    await models.useModel(first.owner, server.url);
    const { id } = await triggerAutomation(deps, first.owner, first.automation);
    expect(await runs.end(first.owner, id)).toMatchObject({ status: "completed" });
    expect(answers[5]).toContain("Nothing has changed");
    expect(JSON.stringify(server.requests[1])).toContain("columns");
  });

  test("corrects what the check finds wrong", async ({ models }) => {
    const reasons: string[] = [];
    const made = await models.run(
      afterReading((request, stage) => {
        reasons.push(...lastToolTexts(request));
        return stage === 0 ? summarize(rightSentence, wrongSentence) : summarize(rightSentence);
      }),
    );
    expect(made.run).toMatchObject({ status: "completed", summary: rightText });
    expect(reasons.at(-1)).toContain("no slot");
    expect(made.summaries).toHaveLength(2);
  });

  test("that stays wrong after two corrections has that sentence left out", async ({ models }) => {
    const made = await models.run(afterReading(() => summarize(wrongSentence, rightSentence)));
    expect(made.run).toMatchObject({ status: "completed", summary: rightText });
    expect(made.summaries).toHaveLength(3);
    expect(made.summaries.at(-1)).toMatchObject([
      { text: "There were 95 orders", problems: [expect.stringContaining("no slot")] },
      { problems: [] },
    ]);
  });

  test("without a sentence has a summary that says what was read", async ({ models }) => {
    const made = await models.run(afterReading(() => summarize(" . ")));
    expect(made.run).toMatchObject({
      status: "completed",
      summary: 'The results that were read: "Revenue by month".',
    });
  });

  test("that has read nothing has no summary, whatever it says", async ({ models }) => {
    const made = await models.run(() => summarize("All is well."));
    expect(made.run).toMatchObject({ status: "failed", failure: { code: "agent_failed" } });
  });

  test("that reads a reference with its own values has them named", async ({ models }) => {
    const sql =
      "SELECT * FROM (VALUES ('France', 500), ('Italy', 300)) AS t(country, revenue) WHERE country = {{country}}";
    const read = (country: string) => (request: ChatRequest) => ({
      kind: "say" as const,
      calls: [
        { name: "run_reference", input: { shortId: shortIdIn(request), parameterValues: { country } } },
      ],
    });
    const run = (country: string) =>
      models.run(
        afterListing((request, stage) =>
          stage === 0 ? read(country)(request) : summarize("{{total revenue}}. {{count}}."),
        ),
        { sql, parameterValues: { country: "Italy" } },
      );
    expect((await run("France")).run.summary).toBe(
      'In "Revenue by month" (country "France"), total revenue is 500 (1 row). In "Revenue by month" (country "France"), there is 1 row.',
    );
    expect((await run("Italy")).run.summary).toBe("Total revenue is 300 (1 row). There is 1 row.");
    for (const own of ["sales have doubled", "10.1.2.3", "::1"])
      expect((await run(own)).run).toMatchObject({ failure: { code: "agent_failed" } });
  });

  test("of which nothing can be checked has no summary", async ({ models, runs }) => {
    const made = await models.run(
      afterReading(() => summarize(wrongSentence)),
      { inNewOrganization: true },
    );
    expect(made.run).toMatchObject({ status: "failed", failure: { code: "agent_failed" } });
    expect(await runs.events(made.owner)).toMatchObject([{ type: "automation.run.failed" }]);
  });

  test("is told of calls that cannot be made, and goes on", async ({ models }) => {
    const answers: string[] = [];
    const calls = [
      { name: "read_result", input: "{not json" },
      { name: "read_result", input: { result: "r9" } },
      { name: "drop_table", input: {} },
      { name: "run_reference", input: { shortId: "elsewhere1" } },
      { name: "run_reference", input: { shortId: "elsewhere1", parameterValues: 5 } },
      { name: "read_result", input: { result: "r1", sort: [{ column: "nothing" }] } },
      { name: "run_reference", input: { shortId: "else\0where" } },
    ];
    const made = await models.run(
      afterReading((request, stage) => {
        if (stage === 0) return { kind: "say", calls };
        answers.push(...lastToolTexts(request));
        return summarize(rightSentence);
      }),
    );
    expect(made.run).toMatchObject({ status: "completed" });
    expect(answers).toEqual([
      expect.stringContaining("no JSON"),
      expect.stringContaining("no result r9"),
      expect.stringContaining("no tool"),
      expect.stringContaining("does not look at"),
      expect.stringContaining("do not fit"),
      expect.stringContaining("no column"),
      expect.stringContaining("NUL"),
    ]);
    expect(made.steps.filter(({ state }) => state === "failed")).toHaveLength(7);
  });

  test("makes several calls at once", async ({ models }) => {
    const made = await models.run((request, stage) => {
      const run = { name: "run_reference", input: { shortId: shortIdIn(request) } };
      if (stage === 0) return { kind: "say", calls: [{ name: "list_references", input: {} }] };
      if (stage === 1) return { kind: "say", calls: [run, run, { name: "list_references", input: {} }] };
      return summarize(rightSentence);
    });
    expect(made.run).toMatchObject({ status: "completed" });
    expect(made.steps.filter(({ tool }) => tool === "run_query")).toHaveLength(1);
  });
});

describe("a run fails", () => {
  test.for<[string, Turn, string, RegExp]>([
    [
      "with a model that refuses, in whatever words",
      { kind: "refuse", text: "I will\0 not." },
      "model_refused",
      /I will not/,
    ],
    ["with a key that is refused", { kind: "status", status: 401 }, "model_refused", /401/],
    [
      "with a server that is down",
      { kind: "status", status: 503, headers: { "retry-after": "0" } },
      "model_unreachable",
      /503/,
    ],
    ["with a text without an end", { kind: "endless", piece: "and so on " }, "budget_used", /wrote more/],
    [
      "with a model that writes no summary",
      { kind: "say", pieces: ["Hello."] },
      "model_refused",
      /without writing a summary/,
    ],
  ])("%s", async ([_name, turn, code, reason], { models, runs }) => {
    const made = await models.run(() => turn, { inNewOrganization: true });
    expect(made.run).toMatchObject({
      status: "failed",
      failure: { code, reason: expect.stringMatching(reason) },
    });
    expect(await runs.events(made.owner)).toEqual([
      { type: "automation.run.failed", data: expect.objectContaining({ reason: made.run.failure?.reason }) },
    ]);
  });

  test("without a model that may be used", async ({ models, deps, make, runs }) => {
    const owner = await make.owner();
    await models.useModel(owner, "http://127.0.0.1:9/v1");
    const automation = await make.automation(owner, { agent: "model" });
    await deps.db.prisma.modelSettings.delete({ where: { organizationId: owner.organizationId } });
    const { id } = await triggerAutomation(deps, owner, automation);
    expect(await runs.end(owner, id)).toMatchObject({ failure: { code: "model_missing" } });
  });

  test("with all its steps used", async ({ models }) => {
    const made = await models.run(() => ({ kind: "say", calls: [{ name: "list_references", input: {} }] }), {
      automation: { budget: { steps: 6, tokens: 100_000 } },
    });
    expect(made.run).toMatchObject({
      failure: { code: "budget_used", reason: expect.stringContaining("6 steps") },
    });
    expect(made.requests).toHaveLength(3);
  });

  test("with all its tokens used, counted before a request is made", async ({ models }) => {
    const usage = { prompt: 6_000, completion: 500 };
    const made = await models.run(
      () => ({ kind: "say", calls: [{ name: "list_references", input: {} }], usage }),
      { automation: { budget: { steps: 50, tokens: 20_000 } } },
    );
    expect(made.run).toMatchObject({ failure: { code: "budget_used" } });
    expect((made.run.usage?.inputTokens ?? 0) + (made.run.usage?.outputTokens ?? 0)).toBeLessThanOrEqual(
      20_000,
    );
  });

  test("with all its tokens used by long answers", async ({ models }) => {
    const usage = { prompt: 10, completion: 4_000 };
    const budget = { steps: 50, tokens: 20_000 };
    const made = await models.run(
      () => ({ kind: "say", calls: [{ name: "list_references", input: {} }], usage }),
      { automation: { budget } },
    );
    expect(made.run).toMatchObject({
      failure: { code: "budget_used", reason: expect.stringContaining("20000 tokens that a run may use") },
    });
    // The last answer may have what is left.
    const used = 4_010 * (made.requests.length - 1);
    expect(used + (made.requests.at(-1)?.max_tokens ?? 0)).toBeLessThanOrEqual(budget.tokens);
  });

  test("with the organization's tokens of the month used", async ({ models, deps }) => {
    const made = await models.run(
      afterReading(() => summarize(rightSentence)),
      { monthlyTokens: 3_000 },
    );
    expect(made.run).toMatchObject({
      failure: { code: "budget_used", reason: expect.stringContaining("3000 tokens of this month") },
    });
    // One request would reserve more, so none is made, not even the first of the month.
    expect(made.requests).toEqual([]);
    expect((await getModel(deps, made.owner)).usedTokens).toBe(0);
  });
});

test("a broken stream is asked again, also where the question is longer than the answer may be", async ({
  models,
  deps,
}) => {
  let requests = 0;
  const script = afterReading(() => summarize(rightSentence));
  const made = await models.run(
    (request, stage) => (++requests === 1 ? { kind: "drop", pieces: ["Let me"] } : script(request, stage)),
    { automation: { instruction: "Say how revenue has changed. ".repeat(300) }, inNewOrganization: true },
  );
  expect(made.run).toMatchObject({ status: "completed", summary: rightText, usage: { modelCalls: 4 } });
  // What the broken answer used is counted, once.
  const { inputTokens = 0, outputTokens = 0 } = made.run.usage ?? {};
  expect(inputTokens).toBeGreaterThan(5_000);
  expect((await getModel(deps, made.owner)).usedTokens).toBe(inputTokens + outputTokens);
});

test("a server that fails and then answers is asked again", async ({ models }) => {
  let failures = 0;
  const script = afterReading(() => summarize(rightSentence));
  const made = await models.run((request, stage) =>
    failures++ < 2
      ? { kind: "status", status: 429, headers: { "retry-after": "0" } }
      : script(request, stage),
  );
  expect(made.run).toMatchObject({ status: "completed", usage: { modelCalls: 5 } });
});
