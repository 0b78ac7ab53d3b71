import { CreateDatabase } from "@querybell/domain";
import { describe, expect } from "vitest";
import { createDatabase } from "../../databases/index.ts";
import { createQuery, updateQuery } from "../../queries/index.ts";
import { createReference, deleteReference } from "../../references/index.ts";
import { automationTest as test } from "../../testing/automation-test.ts";
import { triggerAutomation } from "../index.ts";

describe("a run of the digest", () => {
  test("ends with a summary, a transcript and one event", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const automation = await make.automation(owner);
    const triggered = await triggerAutomation(deps, owner, automation);
    expect(triggered).toMatchObject({
      automationId: automation.id,
      status: "pending",
      triggerId: `user:${owner.userId}`,
      isQueued: false,
      chatUrl: `http://localhost:4000/chats/${triggered.shortId}`,
    });
    const ended = await runs.end(owner, triggered.id);
    expect(ended).toMatchObject({
      status: "completed",
      failure: null,
      summary: '"Fruits": total weight is 8 (2 rows). "pear" has the highest weight, 5.',
    });
    expect(await runs.steps(owner, triggered.id)).toEqual([
      expect.objectContaining({ name: "instruction", kind: "message", text: "Say what has changed." }),
      expect.objectContaining({ name: "list_references", tool: "list_references", state: "completed" }),
      expect.objectContaining({
        tool: "run_query",
        state: "completed",
        text: "Fruits",
        queryRunId: expect.any(String),
        output: expect.objectContaining({
          rowCount: 2,
          rows: [
            ["apple", 3],
            ["pear", 5],
          ],
        }),
      }),
      expect.objectContaining({ name: "summary", kind: "message", text: ended.summary }),
    ]);
    expect(await runs.events(owner)).toEqual([
      {
        type: "automation.run.completed",
        data: {
          automationId: automation.id,
          runId: triggered.id,
          summary: ended.summary,
          chatUrl: triggered.chatUrl,
          imageUrl: null,
        },
      },
    ]);
  });

  test("stores what it can of text that Postgres cannot store", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(
      owner,
      "SELECT repeat('x', 99) || '🍐🍐' AS long, 'left' || chr(0) || 'right' AS has_nul",
    );
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const { id } = await triggerAutomation(deps, owner, automation);
    expect(await runs.end(owner, id)).toMatchObject({ status: "completed" });
    const step = (await runs.steps(owner, id)).find(({ tool }) => tool === "run_query");
    expect(step?.output).toMatchObject({ rows: [[`${"x".repeat(99)}…`, "leftright"]] });
  });

  test("is compared with the previous run, and only the latest results are stored", async ({
    deps,
    make,
    runs,
  }) => {
    const owner = await make.owner();
    const reference = await make.reference(owner, "SELECT 'apple' AS name, 3 AS weight");
    const automation = await make.automation(owner, { references: [{ shortId: reference.shortId }] });
    const run = async () => runs.end(owner, (await triggerAutomation(deps, owner, automation)).id);
    await run();
    const queryId = reference.currentQuery?.id ?? "";
    await updateQuery(deps, owner, { id: queryId, sql: "SELECT 'apple' AS name, 10 AS weight" });
    const second = await run();
    expect(second.summary).toMatch(/weight is 10, 233% more than in the last run\.$/);
    await updateQuery(deps, owner, { id: queryId, sql: "SELECT * FROM vegetables" });
    expect(await run()).toMatchObject({ status: "failed" });
    const kept = await deps.db.prisma.automationResult.findMany({
      where: { run: { automationId: automation.id } },
    });
    expect(kept.map(({ runId }) => runId)).toEqual([second.id]);
  });
});

describe("a run fails with a reason that says what to do", () => {
  test("when a reference was deleted since", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const automation = await make.automation(owner);
    await deleteReference(deps, owner, { shortId: automation.references[0]?.shortId ?? "" });
    const { id } = await triggerAutomation(deps, owner, automation);
    const reason = 'The reference "Fruits" was deleted. Choose another for the automation, or take it out.';
    expect(await runs.end(owner, id)).toMatchObject({
      status: "failed",
      summary: null,
      failure: { code: "reference_deleted", reason },
    });
    expect(await runs.events(owner)).toEqual([
      { type: "automation.run.failed", data: { automationId: automation.id, runId: id, reason } },
    ]);
  });

  test("when a query fails", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT * FROM vegetables", { title: "Greens" });
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const { id } = await triggerAutomation(deps, owner, automation);
    expect(await runs.end(owner, id)).toMatchObject({
      status: "failed",
      failure: {
        code: "query_failed",
        reason: expect.stringMatching(/^"Greens" could not be run: .*vegetables/s),
      },
    });
    expect((await runs.steps(owner, id)).at(-1)).toMatchObject({ tool: "run_query", state: "failed" });
  });

  test("when a database is down", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const settings = { host: "127.0.0.1", port: 1, database: "gone", user: "me", tls: "off" };
    const connection = { engine: "postgres", settings, credentials: { password: "x" } };
    const input = CreateDatabase.parse({ name: "Gone", connection });
    const { id: analyticalDatabaseConfigId } = await createDatabase(deps, owner, input);
    const query = await createQuery(deps, owner, { sql: "SELECT 1", analyticalDatabaseConfigId });
    const { shortId } = await createReference(deps, owner, { queryId: query.id, title: "Far away" });
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const { id } = await triggerAutomation(deps, owner, automation);
    expect(await runs.end(owner, id)).toMatchObject({
      status: "failed",
      failure: { code: "query_failed", reason: expect.stringMatching(/^"Far away" could not be run: /) },
    });
  });

  test("when a parameter has lost its definition", async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const reference = await make.reference(owner, "SELECT 1");
    const automation = await make.automation(owner, { references: [{ shortId: reference.shortId }] });
    await updateQuery(deps, owner, { id: reference.currentQuery?.id ?? "", sql: "SELECT {{n}}" });
    const { id } = await triggerAutomation(deps, owner, automation);
    expect(await runs.end(owner, id)).toMatchObject({
      failure: { code: "query_failed", reason: expect.stringContaining("{{n}}") },
    });
  });
});
