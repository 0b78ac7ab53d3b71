import { type Caller, type Draft, ListRuns } from "@querybell/domain";
import { describe, expect } from "vitest";
import { createFolder } from "../folders/index.ts";
import { getQuery, listQueryVersions, updateQuery } from "../queries/index.ts";
import { getResult } from "../results/index.ts";
import { cancelRun, getRun, listRuns, runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { changeRun, execute, toRunning } from "../testing/run-states.ts";
import { createDraft, getDraft, listDrafts, runDraft, saveDraft, updateDraft } from "./index.ts";

const noValues = { parameterValues: {} };

const keyOf = ({ id, revision }: Draft) => ({ id, revision });

const test = dbTest.extend("draftOf", { scope: "file" }, ({ deps, make }) => {
  /** A draft of a new query. */
  return async (author: Caller, sql: string) => {
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    return createDraft(deps, author, { sql, analyticalDatabaseConfigId });
  };
});

describe("saving a draft", () => {
  test("makes a query with a name, and ends the draft", async ({ deps, make, draftOf }) => {
    const author = await make.owner();
    const draft = await draftOf(author, "SELECT 1");
    await expect(saveDraft(deps, author, keyOf(draft))).rejects.toEqual(appError("invalid_request", /name/));
    const saved = await saveDraft(deps, author, { ...keyOf(draft), name: "One" });
    expect(saved).toMatchObject({ name: "One", sql: "SELECT 1", version: 1, latestRun: null });
    expect(await getQuery(deps, await make.member(author.organizationId), saved)).toMatchObject({
      name: "One",
    });
    expect(await listDrafts(deps, author)).toEqual([]);
    // The answer of the first call was lost.
    expect(await saveDraft(deps, author, { ...keyOf(draft), name: "One" })).toEqual(saved);
    await expect(getDraft(deps, author, draft)).rejects.toEqual(appError("not_found"));
  });

  test("puts a new query into a folder", async ({ deps, make, draftOf }) => {
    const author = await make.owner();
    const [draft, other] = [await draftOf(author, "SELECT 1"), await draftOf(author, "SELECT 2")];
    const sales = await createFolder(deps, author, { name: "Sales", parentId: null });
    const theirs = await createFolder(deps, await make.owner(), { name: "Sales", parentId: null });
    const { id } = await saveDraft(deps, author, { ...keyOf(draft), name: "One", folderId: sales.id });
    expect(await deps.db.prisma.query.findUnique({ where: { id } })).toMatchObject({ folderId: sales.id });
    await expect(
      saveDraft(deps, author, { ...keyOf(other), name: "Two", folderId: theirs.id }),
    ).rejects.toEqual(appError("not_found"));
    expect(await getDraft(deps, author, other)).toEqual(other);
  });

  test("twice at once makes one query", async ({ deps, make, draftOf }) => {
    const author = await make.owner();
    const draft = await draftOf(author, "SELECT 1");
    const save = () => saveDraft(deps, author, { ...keyOf(draft), name: "One" });
    const ids = (await Promise.all([save(), save(), save()])).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
  });

  test("refuses an empty text, and one that cannot be read", async ({ deps, make, draftOf }) => {
    const author = await make.owner();
    for (const sql of [" ", "SELECT 'a"]) {
      const draft = await draftOf(author, sql);
      await expect(saveDraft(deps, author, { ...keyOf(draft), name: "A" })).rejects.toEqual(
        appError("invalid_sql"),
      );
      expect(await getDraft(deps, author, draft)).toEqual(draft);
    }
  });

  test("gives the query the run and the result of a trial of this text", async ({ deps, make, draftOf }) => {
    const author = await make.owner();
    const draft = await draftOf(author, "SELECT {{n}} AS n");
    const trial = await runDraft(deps, author, { ...draft, parameterValues: { n: "7" } });
    await execute(deps, trial.id);
    const tried = await getRun(deps, author, trial);
    const saved = await saveDraft(deps, author, { ...keyOf(draft), name: "Seven" });
    expect(saved.latestRun).toMatchObject({ status: "completed", runAt: tried.runAt });
    const colleague = await make.member(author.organizationId);
    const { items } = await listRuns(deps, colleague, ListRuns.parse({ queryId: saved.id }));
    const { id: _, queryId: __, ...sameAsTried } = tried;
    expect(items).toMatchObject([{ ...sameAsTried, queryId: saved.id, queryVersion: 1 }]);
    expect(await getResult(deps, colleague, saved)).toMatchObject({ rowCount: 1, isOutdated: false });
    expect(await getResult(deps, colleague, { id: saved.id, parameterValues: { n: "7" } })).toMatchObject({
      runId: saved.latestRun?.id,
    });
  });

  test("gives the query no run of another text, and none that failed", async ({ deps, make, draftOf }) => {
    const author = await make.owner();
    const draft = await draftOf(author, "SELECT 1");
    const trial = await runDraft(deps, author, { ...draft, ...noValues });
    await execute(deps, trial.id);
    const changed = await updateDraft(deps, author, { ...draft, sql: "SELECT 2" });
    expect(await saveDraft(deps, author, { ...keyOf(changed), name: "Two" })).toMatchObject({
      latestRun: null,
    });

    const failing = await draftOf(author, "SELECT nothing");
    const failed = await runDraft(deps, author, { ...failing, ...noValues });
    await execute(deps, failed.id);
    expect(await saveDraft(deps, author, { ...keyOf(failing), name: "No" })).toMatchObject({
      latestRun: null,
    });
  });

  test("starts a trial that has not ended again, as a run of the query", async ({ deps, make, draftOf }) => {
    const author = await make.owner();
    for (const isRunning of [false, true]) {
      const draft = await draftOf(author, "SELECT 1 AS one");
      const trial = await runDraft(deps, author, { ...draft, ...noValues });
      if (isRunning) await changeRun(deps, trial.id, toRunning);
      const saved = await saveDraft(deps, author, { ...keyOf(draft), name: "One" });
      expect(saved.latestRun).toMatchObject({ status: "pending" });
      expect(await getRun(deps, author, trial)).toMatchObject({ cancelRequestedAt: expect.any(String) });
      await execute(deps, saved.latestRun?.id ?? "");
      expect(await getResult(deps, author, saved)).toMatchObject({ rowCount: 1 });
    }
  });

  test("makes a version of the query that it changes, with its result", async ({ deps, make }) => {
    const owner = await make.owner();
    const author = await make.member(owner.organizationId);
    const query = await make.query(owner, "SELECT 1");
    const before = await runQuery(deps, owner, { id: query.id, ...noValues });
    await execute(deps, before.id);
    const { id: queryId, analyticalDatabaseConfigId } = query;
    const draft = await createDraft(deps, author, { sql: "SELECT 2", analyticalDatabaseConfigId, queryId });
    const trial = await runDraft(deps, author, { ...draft, ...noValues });
    await execute(deps, trial.id);
    const saved = await saveDraft(deps, author, keyOf(draft));
    expect(saved).toMatchObject({ id: queryId, sql: "SELECT 2", version: 2 });
    expect(saved.latestRun?.id).not.toBe(before.id);
    expect(await getResult(deps, owner, query)).toMatchObject({ isOutdated: false });
    expect(await listQueryVersions(deps, owner, query)).toMatchObject([
      { version: 2, createdBy: author.userId },
      { version: 1 },
    ]);
  });

  test("is refused if somebody saved the query since, unless that version is named", async ({
    deps,
    make,
  }) => {
    const owner = await make.owner();
    const author = await make.member(owner.organizationId);
    const query = await make.query(owner, "SELECT 1");
    const { id: queryId, analyticalDatabaseConfigId } = query;
    const draft = await createDraft(deps, author, { sql: "SELECT 2", analyticalDatabaseConfigId, queryId });
    await updateQuery(deps, owner, { id: queryId, sql: "SELECT 3" });
    await expect(saveDraft(deps, author, keyOf(draft))).rejects.toEqual(
      appError("query_changed", /version 2/),
    );
    expect(await getDraft(deps, author, draft)).toEqual(draft);
    expect(await saveDraft(deps, author, { ...keyOf(draft), version: 2 })).toMatchObject({
      sql: "SELECT 2",
      version: 3,
    });
  });

  test("beside an unfinished run with equal values leaves that run", async ({ deps, make }) => {
    const author = await make.owner();
    const query = await make.query(author, "SELECT 1");
    const { id: queryId, analyticalDatabaseConfigId } = query;
    const draft = await createDraft(deps, author, { sql: "SELECT 2", analyticalDatabaseConfigId, queryId });
    const trial = await runDraft(deps, author, { ...draft, ...noValues });
    await execute(deps, trial.id);
    const running = await runQuery(deps, author, { id: queryId, ...noValues });
    await changeRun(deps, running.id, toRunning);
    const saved = await saveDraft(deps, author, keyOf(draft));
    expect(saved).toMatchObject({ version: 2, latestRun: { id: running.id } });
    // It is of the earlier version, and was cancelled.
    expect(await cancelRun(deps, author, running)).toMatchObject({ cancelRequestedAt: expect.any(String) });
  });
});
