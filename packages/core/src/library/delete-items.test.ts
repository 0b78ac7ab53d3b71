import type { Caller, Items } from "@querybell/domain";
import { describe, expect } from "vitest";
import { getAutomation } from "../automations/index.ts";
import { getParameters, getQuery, listQueries, setParameters } from "../queries/index.ts";
import { createReference, getReference, listReferences } from "../references/index.ts";
import { getRun, runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { deleteItems, duplicateItems, findDependents, findUndoableDeletion, undoDelete } from "./index.ts";

const query = (id: string): Items["items"][number] => ({ kind: "query", id });
const reference = (id: string): Items["items"][number] => ({ kind: "reference", id });

const test = dbTest.extend("chart", { scope: "file" }, ({ make }) => {
  return async (owner: Caller, title?: string) => {
    const made = await make.reference(owner, "SELECT 1", title === undefined ? {} : { title });
    return { ...made, queryId: made.currentQuery?.id ?? "" };
  };
});

describe("a deletion", () => {
  test("takes the references of a query with it, and undoing it brings all of them back", async ({
    deps,
    make,
    chart,
  }) => {
    const owner = await make.owner();
    const { queryId, shortId } = await chart(owner);
    const goneBefore = await createReference(deps, owner, { queryId });
    await deleteItems(deps, owner, { items: [reference(goneBefore.id)] });
    const run = await runQuery(deps, owner, { id: queryId, parameterValues: {} });

    const deletion = await deleteItems(deps, owner, { items: [query(queryId)] });
    await expect(getQuery(deps, owner, { id: queryId })).rejects.toEqual(appError("not_found"));
    await expect(getReference(deps, owner, { shortId })).rejects.toEqual(appError("not_found"));
    expect(await getRun(deps, owner, { id: run.id })).toMatchObject({ status: "failed" });

    await undoDelete(deps, owner, deletion);
    expect(await getReference(deps, owner, { shortId })).toMatchObject({ currentQuery: { id: queryId } });
    // It stays cancelled, and the reference that was deleted before stays deleted.
    expect(await getRun(deps, owner, { id: run.id })).toMatchObject({ status: "failed" });
    const { shortId: before } = goneBefore;
    await expect(getReference(deps, owner, { shortId: before })).rejects.toEqual(appError("not_found"));
    await expect(undoDelete(deps, owner, deletion)).rejects.toEqual(appError("conflict", /undone already/));
  });

  test("is undone only by the person who made it, within a minute of the database", async ({
    deps,
    make,
    chart,
    clock,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const [early, late] = [await chart(owner), await chart(owner)];
    await clock.advance(0);
    const first = await deleteItems(deps, owner, { items: [reference(early.id)] });
    const second = await deleteItems(deps, owner, { items: [reference(late.id)] });
    await expect(undoDelete(deps, member, first)).rejects.toEqual(appError("not_found"));
    await clock.advance(59_999);
    await undoDelete(deps, owner, first);
    await clock.advance(1);
    await expect(undoDelete(deps, owner, second)).rejects.toEqual(appError("conflict", /minute/));
    await expect(getReference(deps, owner, late)).rejects.toEqual(appError("not_found"));
  });

  test("is found again by the person who made it, with its items and the time left", async ({
    deps,
    make,
    chart,
    clock,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const [early, late] = [await chart(owner, "Early"), await chart(owner, "Late")];
    await clock.advance(0);
    expect(await findUndoableDeletion(deps, owner)).toBeNull();
    const first = await deleteItems(deps, owner, { items: [reference(early.id)] });
    await clock.advance(20_000);
    const second = await deleteItems(deps, owner, { items: [query(late.queryId)] });
    await clock.advance(10_000);
    // Its chart went with the query, and is not named.
    expect(await findUndoableDeletion(deps, owner)).toEqual({
      ...second,
      secondsLeft: 50,
      items: [{ kind: "query", id: late.queryId, title: "SELECT 1" }],
    });
    expect(await findUndoableDeletion(deps, member)).toBeNull();
    await undoDelete(deps, owner, second);
    expect(await findUndoableDeletion(deps, owner)).toEqual({
      ...first,
      secondsLeft: 30,
      items: [{ kind: "reference", id: early.id, title: "Early" }],
    });
    await clock.advance(30_000);
    expect(await findUndoableDeletion(deps, owner)).toBeNull();
  });

  test("that two windows undo at once is undone once", async ({ deps, make, chart }) => {
    const owner = await make.owner();
    const { id } = await chart(owner);
    const deletion = await deleteItems(deps, owner, { items: [reference(id)] });
    const undone = await Promise.allSettled([1, 2, 3].map(() => undoDelete(deps, owner, deletion)));
    expect(undone.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("of a reference is not undone while its query is deleted", async ({ deps, make, chart }) => {
    const owner = await make.owner();
    const { id, queryId, shortId } = await chart(owner);
    const first = await deleteItems(deps, owner, { items: [reference(id)] });
    const second = await deleteItems(deps, owner, { items: [query(queryId)] });
    await expect(undoDelete(deps, owner, first)).rejects.toEqual(appError("conflict", /Undo that/));
    await undoDelete(deps, owner, second);
    await undoDelete(deps, owner, first);
    expect(await getReference(deps, owner, { shortId })).toMatchObject({ shortId });
  });

  test("of several items deletes all of them or none", async ({ deps, make, chart }) => {
    const [owner, other] = [await make.owner(), await make.owner()];
    const [mine, theirs] = [await chart(owner), await chart(other)];
    const items = [query(mine.queryId), reference(theirs.id)];
    await expect(deleteItems(deps, owner, { items })).rejects.toEqual(appError("not_found"));
    expect(await getQuery(deps, owner, { id: mine.queryId })).toMatchObject({ id: mine.queryId });
  });

  test("of an automation stops it, and undoing it schedules it again", async ({ deps, make }) => {
    const owner = await make.owner();
    const schedule = { cron: "0 9 * * *", timeZone: "UTC" };
    const { id, nextRunAt } = await make.automation(owner, { schedule });
    const deletion = await deleteItems(deps, owner, { items: [{ kind: "automation", id }] });
    await expect(getAutomation(deps, owner, { id })).rejects.toEqual(appError("not_found"));
    await undoDelete(deps, owner, deletion);
    expect(await getAutomation(deps, owner, { id })).toMatchObject({ nextRunAt });
    expect(nextRunAt).not.toBeNull();
  });

  test("and its undoing do not change the pages of a list that began before or between", async ({
    deps,
    make,
    chart,
  }) => {
    const owner = await make.owner();
    const charts = [await chart(owner, "A"), await chart(owner, "B"), await chart(owner, "C")];
    const [a] = charts;
    if (!a) throw new Error("There is no chart.");
    const begin = async () => ({
      references: await listReferences(deps, owner, { limit: 1 }),
      queries: await listQueries(deps, owner, { limit: 1 }),
    });
    const rest = async ({ references, queries }: Awaited<ReturnType<typeof begin>>) => ({
      titles: (await listReferences(deps, owner, { limit: 9, cursor: references.nextCursor })).items.map(
        ({ title }) => title,
      ),
      queries: (await listQueries(deps, owner, { limit: 9, cursor: queries.nextCursor })).items.length,
    });
    const before = await begin();
    const deletion = await deleteItems(deps, owner, { items: [query(a.queryId)] });
    const between = await begin();
    await undoDelete(deps, owner, deletion);
    const after = await begin();
    await deleteItems(deps, owner, { items: [query(a.queryId)] });
    const atTheEnd = await begin();
    expect(await rest(before)).toEqual({ titles: ["B", "A"], queries: 2 });
    expect(await rest(between)).toEqual({ titles: ["B"], queries: 1 });
    expect(await rest(after)).toEqual({ titles: ["B", "A"], queries: 2 });
    expect(await rest(atTheEnd)).toEqual({ titles: ["B"], queries: 1 });
  });
});

describe("before a deletion", () => {
  test("the references and the automations that depend on the items are named", async ({
    deps,
    make,
    chart,
  }) => {
    const owner = await make.owner();
    const [used, unused] = [await chart(owner, "Used"), await chart(owner, "Unused")];
    const { id } = await make.automation(owner, { name: "Watch", references: [{ shortId: used.shortId }] });
    const usedChart = { shortId: used.shortId, title: "Used" };
    const watch = { id, name: "Watch", enabled: true };
    const none = { total: 0, first: [] };
    expect(await findDependents(deps, owner, { items: [query(used.queryId), reference(unused.id)] })).toEqual(
      {
        references: { total: 2, first: [{ shortId: unused.shortId, title: "Unused" }, usedChart] },
        automations: { total: 1, first: [watch] },
        dashboards: none,
        queries: none,
      },
    );
    expect(
      await findDependents(deps, owner, { items: [reference(used.id), { kind: "automation", id }] }),
    ).toEqual({
      references: { total: 1, first: [usedChart] },
      automations: none,
      dashboards: none,
      queries: none,
    });
    expect(await findDependents(deps, await make.owner(), { items: [query(used.queryId)] })).toEqual({
      references: none,
      automations: none,
      dashboards: none,
      queries: none,
    });
  });

  test("the queries that take choices from a query are named, unless they are deleted with it", async ({
    deps,
    make,
  }) => {
    const owner = await make.owner();
    const regions = await make.query(owner, "SELECT 'Asia' AS region");
    const asking = await make.query(owner, "SELECT {{region}} AS region");
    await setParameters(deps, owner, {
      id: asking.id,
      version: 0,
      definitions: [{ name: "region", displayName: "Region", type: "string", description: "" }],
      choices: { region: { kind: "query", queryId: regions.id, dependsOn: [] } },
      ranges: [],
    });
    const { queries } = await findDependents(deps, owner, { items: [query(regions.id)] });
    expect(queries).toEqual({ total: 1, first: [{ id: asking.id, name: asking.name }] });
    const both = { items: [query(regions.id), query(asking.id)] };
    expect((await findDependents(deps, owner, both)).queries.total).toBe(0);
    expect(
      (await findDependents(deps, await make.owner(), { items: [query(regions.id)] })).queries.total,
    ).toBe(0);
    await deleteItems(deps, owner, { items: [query(asking.id)] });
    expect((await findDependents(deps, owner, { items: [query(regions.id)] })).queries.total).toBe(0);
  });
});

describe("a duplicate", () => {
  test("has the content of the original, another id and its own name", async ({ deps, make, chart }) => {
    const owner = await make.owner();
    const { id, queryId } = await chart(owner, "x".repeat(200));
    const definitions = [{ name: "day", displayName: "Day", type: "date" as const, description: "" }];
    await setParameters(deps, owner, { id: queryId, version: 0, definitions, choices: {}, ranges: [] });
    const [copiedQuery, copiedChart] = await duplicateItems(deps, owner, {
      items: [
        { kind: "query", id: queryId },
        { kind: "reference", id },
      ],
    });
    expect(copiedQuery).toMatchObject({ kind: "query", title: "Untitled query (copy)" });
    expect(await getQuery(deps, owner, { id: copiedQuery?.id ?? "" })).toMatchObject({ sql: "SELECT 1" });
    expect(await getParameters(deps, owner, { id: copiedQuery?.id ?? "", names: [] })).toMatchObject({
      definitions,
    });
    expect(copiedChart?.title).toBe(`${"x".repeat(193)} (copy)`);
    const shortId = copiedChart?.shortId ?? "";
    expect(await getReference(deps, owner, { shortId })).toMatchObject({ currentQuery: { id: queryId } });
  });
});
