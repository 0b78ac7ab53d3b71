import { CreateDraft, maxDrafts } from "@querybell/domain";
import { describe, expect } from "vitest";
import { deleteQuery, updateQuery } from "../queries/index.ts";
import { purgeHistory } from "../retention/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { changeRun, toCompleted, toRunning } from "../testing/run-states.ts";
import { createDraft, deleteDraft, findDraft, getDraft, listDrafts, runDraft, updateDraft } from "./index.ts";

const day = 24 * 60 * 60 * 1000;

describe("a draft", () => {
  dbTest("is seen by its author alone, not even by the owner", async ({ deps, make }) => {
    const owner = await make.owner();
    const author = await make.member(owner.organizationId);
    const { id: queryId, analyticalDatabaseConfigId } = await make.query(owner, "SELECT 1");
    const draft = await createDraft(deps, author, { sql: "SELECT 2", analyticalDatabaseConfigId, queryId });
    expect(draft).toMatchObject({ queryId, queryVersion: 1, sql: "SELECT 2", revision: 1, trial: null });
    expect(await getDraft(deps, author, draft)).toEqual(draft);
    expect(await findDraft(deps, author, { queryId })).toEqual(draft);
    expect(await listDrafts(deps, author)).toMatchObject([{ id: draft.id, queryId, sqlStart: "SELECT 2" }]);

    expect(await listDrafts(deps, owner)).toEqual([]);
    expect(await findDraft(deps, owner, { queryId })).toBeNull();
    const refused = appError("not_found", /no such draft/);
    await expect(getDraft(deps, owner, draft)).rejects.toEqual(refused);
    await expect(updateDraft(deps, owner, { ...draft, sql: "SELECT 3" })).rejects.toEqual(refused);
    await expect(runDraft(deps, owner, { ...draft, parameterValues: {} })).rejects.toEqual(refused);
    await expect(deleteDraft(deps, owner, draft)).rejects.toEqual(refused);
  });

  dbTest("is not overwritten by a second window, which is told", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const { id, revision } = await createDraft(deps, author, { sql: "a", analyticalDatabaseConfigId });
    const changes = ["b", "c"].map((sql) => updateDraft(deps, author, { id, revision, sql }));
    const answers = await Promise.allSettled(changes);
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [refused] = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    expect(refused).toEqual(appError("draft_changed", /revision 2/));

    // The same change again is a call whose answer was lost.
    const { sql } = await getDraft(deps, author, { id });
    expect(await updateDraft(deps, author, { id, revision, sql })).toMatchObject({ sql, revision: 2 });
  });

  dbTest("exists once for each person and query", async ({ deps, make }) => {
    const author = await make.owner();
    const colleague = await make.member(author.organizationId);
    const { id: queryId, analyticalDatabaseConfigId } = await make.query(author, "SELECT 1");
    const change = CreateDraft.parse({ sql: "SELECT 2", analyticalDatabaseConfigId, queryId });
    const [first, second] = await Promise.all([
      createDraft(deps, author, change),
      createDraft(deps, author, change),
    ]);
    expect(second).toEqual(first);
    await expect(createDraft(deps, author, { ...change, sql: "SELECT 3" })).rejects.toEqual(
      appError("draft_changed"),
    );
    expect((await createDraft(deps, colleague, change)).id).not.toBe(first.id);
    await deleteDraft(deps, author, first);
    expect(await createDraft(deps, author, { ...change, sql: "SELECT 3" })).toMatchObject({ revision: 1 });
  });

  dbTest("is based on a version that exists", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: queryId, analyticalDatabaseConfigId } = await make.query(author, "SELECT 1");
    await updateQuery(deps, author, { id: queryId, sql: "SELECT 2" });
    const change = { sql: "SELECT 3", analyticalDatabaseConfigId };
    const later = createDraft(deps, author, { ...change, queryId, queryVersion: 3 });
    await expect(later).rejects.toEqual(appError("invalid_request", /version 2/));
    const ofNone = createDraft(deps, author, { ...change, queryVersion: 1 });
    await expect(ofNone).rejects.toEqual(appError("invalid_request"));
    const earlier = await createDraft(deps, author, { ...change, queryId, queryVersion: 1 });
    expect(earlier).toMatchObject({ queryVersion: 1 });
  });

  dbTest("of a deleted query is one of a new query", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: queryId, analyticalDatabaseConfigId } = await make.query(author, "SELECT 1");
    const draft = await createDraft(deps, author, { sql: "SELECT 2", analyticalDatabaseConfigId, queryId });
    await deleteQuery(deps, author, { id: queryId });
    expect(await getDraft(deps, author, draft)).toMatchObject({ queryId: null, queryVersion: null });
    expect(await listDrafts(deps, author)).toMatchObject([{ queryId: null, queryName: null }]);
  });

  dbTest("is refused beyond the limit, also when several are created at once", async ({ deps, make }) => {
    const author = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const create = () => createDraft(deps, author, { sql: "SELECT 1", analyticalDatabaseConfigId });
    for (let count = 0; count < maxDrafts - 2; count++) await create();
    const answers = await Promise.allSettled([create(), create(), create(), create()]);
    const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    expect(refusals).toEqual([appError("conflict", /100 drafts/), appError("conflict", /100 drafts/)]);
    expect(await listDrafts(deps, author)).toHaveLength(maxDrafts);
  });

  dbTest("goes after 30 days without use, with its ended trials", async ({ deps, make, clock }) => {
    const author = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const create = (sql: string) => createDraft(deps, author, { sql, analyticalDatabaseConfigId });
    const [unused, tried, running] = [await create("a"), await create("SELECT 1"), await create("SELECT 2")];
    await clock.advance(29 * day);
    const trial = await runDraft(deps, author, { ...tried, parameterValues: {} });
    await changeRun(deps, trial.id, toRunning);
    await changeRun(deps, trial.id, toCompleted);
    const unfinished = await runDraft(deps, author, { ...running, parameterValues: {} });
    await changeRun(deps, unfinished.id, toRunning);
    await clock.advance(2 * day);
    await purgeHistory(deps);
    expect((await listDrafts(deps, author)).map(({ id }) => id)).not.toContain(unused.id);
    expect(await listDrafts(deps, author)).toHaveLength(2);
    await clock.advance(29 * day);
    // One whose trial runs stays until that has ended.
    await purgeHistory(deps);
    expect(await listDrafts(deps, author)).toMatchObject([{ id: running.id }]);
    expect(await deps.db.prisma.queryRun.count({ where: { id: trial.id } })).toBe(0);
    await changeRun(deps, unfinished.id, toCompleted);
    await purgeHistory(deps);
    const { organizationId } = author;
    expect(await deps.db.prisma.queryDraft.count({ where: { organizationId } })).toBe(0);
    expect(await deps.db.prisma.query.count({ where: { organizationId } })).toBe(0);
  });
});
