import { type Caller, ListQueries, ListRuns, SearchText } from "@querybell/domain";
import { describe, expect } from "vitest";
import { readHomeOverview } from "../home.ts";
import { getQuery, listQueries } from "../queries/index.ts";
import { getResult, getResultOfRun } from "../results/index.ts";
import { cancelRun, getRun, listRuns, runQuery, watchRun } from "../runs/index.ts";
import { search } from "../search.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { changeRun, execute, toRunning } from "../testing/run-states.ts";
import { createDraft, deleteDraft, getDraft, runDraft, updateDraft } from "./index.ts";

const noValues = { parameterValues: {} };

const asKey = (caller: Caller): Caller => ({
  ...caller,
  via: { kind: "key", keyId: caller.userId, scopes: ["queries:read", "queries:run"] },
});

describe("a trial", () => {
  dbTest("is noticed by nobody but its author", async ({ deps, make }) => {
    const owner = await make.owner();
    const author = await make.member(owner.organizationId);
    const query = await make.query(owner, "SELECT 1 AS saved");
    const saved = await runQuery(deps, owner, { id: query.id, ...noValues });
    await execute(deps, saved.id);
    const read = async (caller: Caller) => ({
      query: await getQuery(deps, caller, query),
      result: await getResult(deps, caller, query),
      queries: (await listQueries(deps, caller, ListQueries.parse({}))).items,
      runs: (await listRuns(deps, caller, ListRuns.parse({}))).items,
      found: await search(deps, caller, SearchText.parse({ text: "trial" })),
      home: await readHomeOverview(deps, { ...caller, role: "member" }),
    });
    const before = await read(owner);

    const { analyticalDatabaseConfigId } = query;
    const change = { sql: "SELECT 2 AS trial", analyticalDatabaseConfigId };
    const draft = await createDraft(deps, author, { ...change, queryId: query.id });
    const trial = await runDraft(deps, author, { ...draft, ...noValues });
    await execute(deps, trial.id);
    const failing = await createDraft(deps, author, { ...change, sql: "SELECT nothing AS trial" });
    const failed = await runDraft(deps, author, { ...failing, ...noValues });
    await execute(deps, failed.id);

    expect(await getResultOfRun(deps, author, trial)).toMatchObject({ runId: trial.id, rowCount: 1 });
    expect(await getRun(deps, author, failed)).toMatchObject({ status: "failed" });
    expect(await getDraft(deps, author, draft)).toMatchObject({
      trial: { runId: trial.id, status: "completed", isCurrent: true },
    });
    for (const caller of [owner, author]) expect(await read(caller)).toEqual(before);
    const signal = new AbortController().signal;
    for (const stranger of [owner, asKey(author), await make.owner()]) {
      const refused = appError("not_found", /no such run/);
      await expect(getRun(deps, stranger, trial)).rejects.toEqual(refused);
      await expect(cancelRun(deps, stranger, trial)).rejects.toEqual(refused);
      await expect(getResultOfRun(deps, stranger, trial)).rejects.toEqual(refused);
      await expect(watchRun(deps, stranger, { id: trial.id, signal }).next()).rejects.toEqual(refused);
      await expect(getQuery(deps, stranger, { id: trial.queryId })).rejects.toEqual(appError("not_found"));
    }
    expect((await listRuns(deps, author, ListRuns.parse({ queryId: trial.queryId }))).items).toEqual([]);
  });

  dbTest("uses the definitions of the query that its draft changes", async ({ deps, make }) => {
    const author = await make.owner();
    const query = await make.query(author, "SELECT {{n}}", {
      parameters: [{ name: "n", displayName: "n", type: "integer", description: "", defaultValue: "7" }],
    });
    const { id: queryId, analyticalDatabaseConfigId } = query;
    const sql = "SELECT {{n}} + 1 AS n";
    const change = await createDraft(deps, author, { sql, analyticalDatabaseConfigId, queryId });
    expect(await runDraft(deps, author, { ...change, ...noValues })).toMatchObject({
      parameterValues: { n: 7 },
      triggerId: `user:${author.userId}`,
    });
    const ofNone = await createDraft(deps, author, { sql, analyticalDatabaseConfigId });
    await expect(runDraft(deps, author, { ...ofNone, ...noValues })).rejects.toEqual(
      appError("missing_parameter_values"),
    );
  });

  dbTest("runs the revision that is named, or nothing", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const draft = await createDraft(deps, author, { sql: "SELECT 1", analyticalDatabaseConfigId });
    const changed = await updateDraft(deps, author, { ...draft, sql: "SELECT 2" });
    await expect(runDraft(deps, author, { ...draft, ...noValues })).rejects.toEqual(
      appError("draft_changed"),
    );
    expect(await runDraft(deps, author, { ...changed, ...noValues })).toMatchObject({
      renderedSql: "SELECT 2",
    });
    expect(await updateDraft(deps, author, { ...changed, sql: "SELECT 3" })).toMatchObject({
      trial: { isCurrent: false },
    });
  });

  dbTest("replaces the earlier one of its draft, which is cancelled", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const draft = await createDraft(deps, author, { sql: "SELECT 1", analyticalDatabaseConfigId });
    const run = () => runDraft(deps, author, { ...draft, ...noValues });
    const first = await run();
    await changeRun(deps, first.id, toRunning);
    const second = await run();
    // A worker still reads the first one.
    expect(await getRun(deps, author, first)).toMatchObject({
      status: "running",
      cancelRequestedAt: expect.any(String),
    });
    const third = await run();
    await expect(getRun(deps, author, second)).rejects.toEqual(appError("not_found"));
    await execute(deps, third.id);
    expect(await getDraft(deps, author, draft)).toMatchObject({ trial: { runId: third.id } });
  });

  dbTest("is cancelled when its draft is deleted", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const draft = await createDraft(deps, author, { sql: "SELECT 1", analyticalDatabaseConfigId });
    const trial = await runDraft(deps, author, { ...draft, ...noValues });
    await deleteDraft(deps, author, draft);
    expect(await getRun(deps, author, trial)).toMatchObject({
      status: "failed",
      failure: { code: "cancelled" },
    });
  });

  dbTest("marks where its text fails", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const draft = await createDraft(deps, author, { sql: "SELECT\n nothing", analyticalDatabaseConfigId });
    const trial = await runDraft(deps, author, { ...draft, ...noValues });
    await execute(deps, trial.id);
    expect(await getRun(deps, author, trial)).toMatchObject({ failure: { position: { line: 2 } } });
  });
});
