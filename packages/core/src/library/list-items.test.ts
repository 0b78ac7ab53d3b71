import { type Caller, ListItems } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { z } from "zod";
import { createFolder } from "../folders/index.ts";
import { createQuery, updateQuery } from "../queries/index.ts";
import { createReference } from "../references/index.ts";
import { runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { archiveItems, deleteItems, getItem, listItems, moveItems, setFavourite } from "./index.ts";

type Input = z.input<typeof ListItems>;

const test = dbTest.extend("titles", { scope: "file" }, ({ deps }) => {
  /** The titles of all pages. */
  return async (caller: Caller, input: Input): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listItems(deps, caller, ListItems.parse({ ...input, cursor }));
      seen.push(...page.items.map(({ title }) => title));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return seen;
  };
});

/** Names in another order than their creation. */
const names = ["pears", "Apples", "plums", "cherries", "Berries"];

describe("a list of items", () => {
  test("is sorted by name, change, last run and creator, in both directions, page by page", async ({
    deps,
    make,
    clock,
    titles,
  }) => {
    const owner = await make.owner();
    const [anna, zoe] = [await make.member(owner.organizationId), await make.member(owner.organizationId)];
    await deps.db.prisma.user.update({ where: { id: anna.userId }, data: { name: "anna" } });
    await deps.db.prisma.user.update({ where: { id: zoe.userId }, data: { name: "Zoe" } });
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const ids: string[] = [];
    for (const [at, name] of names.entries()) {
      await clock.advance(1000);
      const creator = at % 2 === 0 ? zoe : anna;
      const { id } = await createQuery(deps, creator, { sql: "SELECT 1", analyticalDatabaseConfigId, name });
      await createReference(deps, creator, { queryId: id, title: name });
      ids.push(id);
    }
    // Runs in another order, and two queries that never ran.
    for (const at of [3, 0, 1]) {
      await clock.advance(1000);
      await runQuery(deps, owner, { id: ids[at] ?? "", parameterValues: {} });
    }
    await clock.advance(1000);
    await updateQuery(deps, owner, { id: ids[2] ?? "", description: "Changed" });

    const expected: Record<string, Record<string, string[]>> = {
      query: {
        name: ["Apples", "Berries", "cherries", "pears", "plums"],
        updated: ["pears", "Apples", "cherries", "Berries", "plums"],
        creator: ["cherries", "Apples", "plums", "Berries", "pears"],
      },
      reference: {
        name: ["Apples", "Berries", "cherries", "pears", "plums"],
        updated: names,
        creator: ["cherries", "Apples", "Berries", "plums", "pears"],
      },
    };
    for (const kind of ["query", "reference"] as const) {
      for (const sort of ["name", "updated"] as const) {
        const ascending = expected[kind]?.[sort] ?? [];
        expect(await titles(owner, { kind, sort, order: "ascending", limit: 2 })).toEqual(ascending);
        expect(await titles(owner, { kind, sort, limit: 2 })).toEqual(ascending.toReversed());
      }
      expect(await titles(owner, { kind, sort: "creator", order: "ascending", limit: 2 })).toEqual(
        expected[kind]?.creator,
      );
      const byCreator = await titles(owner, { kind, sort: "creator", limit: 2 });
      expect(byCreator.slice(3)).toEqual(["cherries", "Apples"]);
      const byRun = await titles(owner, { kind, sort: "lastRun", limit: 2 });
      expect(byRun).toEqual(["Apples", "pears", "cherries", ...["Berries", "plums"]]);
      expect(await titles(owner, { kind, sort: "lastRun", order: "ascending", limit: 2 })).toEqual(
        byRun.toReversed(),
      );
    }
  });

  test("finds by words, folder, database, person, favourites and archive", async ({ deps, make, titles }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const sales = await createFolder(deps, owner, { name: "Sales", parentId: null });
    const europe = await createFolder(deps, owner, { name: "Europe", parentId: sales.id });
    const content = { sql: "SELECT weight FROM fruits", analyticalDatabaseConfigId };
    const top = await createQuery(deps, owner, { ...content, name: "Top" });
    const inSales = await createQuery(deps, member, {
      ...content,
      name: "In sales",
      description: "Turnover",
    });
    const inEurope = await createQuery(deps, owner, { ...content, name: "In Europe" });
    const archived = await createQuery(deps, owner, { ...content, name: "Old" });
    const items = (...ids: { id: string }[]) => ids.map(({ id }) => ({ kind: "query" as const, id }));
    await moveItems(deps, owner, { items: items(inSales), folderId: sales.id });
    await moveItems(deps, owner, { items: items(inEurope), folderId: europe.id });
    await archiveItems(deps, owner, { items: items(archived), isArchived: true });
    await setFavourite(deps, owner, { kind: "query", id: top.id, isFavourite: true });

    const find = (input: Partial<Input>) =>
      titles(owner, { kind: "query", sort: "name", order: "ascending", ...input });
    expect(await find({})).toEqual(["In Europe", "In sales", "Top"]);
    expect(await find({ isArchived: true })).toEqual(["Old"]);
    expect(await find({ folderId: null })).toEqual(["Top"]);
    expect(await find({ folderId: sales.id })).toEqual(["In sales"]);
    expect(await find({ folderId: sales.id, withSubfolders: true })).toEqual(["In Europe", "In sales"]);
    expect(await find({ createdBy: member.userId })).toEqual(["In sales"]);
    expect(await find({ isFavourite: true })).toEqual(["Top"]);
    expect(await titles(member, { kind: "query", isFavourite: true })).toEqual([]);
    expect(await find({ search: "TURN" })).toEqual(["In sales"]);
    expect(await find({ search: "europe weig" })).toEqual(["In Europe"]);
    expect(await find({ search: "%" })).toEqual([]);
    expect(await find({ analyticalDatabaseConfigId })).toHaveLength(3);
    const other = await make.query(owner, "SELECT 1");
    const another = { analyticalDatabaseConfigId: other.analyticalDatabaseConfigId };
    expect(await find(another)).toEqual(["SELECT 1"]);
    expect(await getItem(deps, owner, { kind: "query", id: inEurope.id })).toMatchObject({
      folderId: europe.id,
      isFavourite: false,
      isArchived: false,
      lastRunAt: null,
    });
  });

  test("of automations shows their folder, database and runs, without trials and deleted ones", async ({
    deps,
    make,
    titles,
  }) => {
    const owner = await make.owner();
    const reference = await make.reference(owner, "SELECT 1");
    const automation = await make.automation(owner, {
      name: "Watch",
      references: [{ shortId: reference.shortId }],
    });
    const gone = await make.automation(owner, { name: "Gone", references: [{ shortId: reference.shortId }] });
    await deleteItems(deps, owner, { items: [{ kind: "automation", id: gone.id }] });
    const query = await deps.db.prisma.query.findUniqueOrThrow({
      where: { id: reference.currentQuery?.id ?? "" },
    });
    const { analyticalDatabaseConfigId } = query;
    for (const sort of ["name", "updated", "lastRun", "creator"] as const) {
      expect(await titles(owner, { kind: "automation", sort, analyticalDatabaseConfigId })).toEqual([
        "Watch",
      ]);
    }
    expect(await titles(owner, { kind: "automation", isArchived: true })).toEqual([]);
    expect(await getItem(deps, owner, { kind: "automation", id: automation.id })).toMatchObject({
      enabled: true,
      latestRun: null,
      latestEndedRun: null,
    });
  });

  test("is continued only with its own cursor", async ({ deps, make }) => {
    const owner = await make.owner();
    for (const number of [1, 2]) await make.query(owner, `SELECT ${number}`);
    const first = ListItems.parse({ kind: "query", limit: 1 });
    const { nextCursor } = await listItems(deps, owner, first);
    expect(nextCursor).toBeDefined();
    const others: Input[] = [
      { kind: "reference" },
      { kind: "query", sort: "name" },
      { kind: "query", order: "ascending" },
      { kind: "query", isFavourite: true },
    ];
    for (const other of others) {
      const page = listItems(deps, owner, ListItems.parse({ ...other, cursor: nextCursor }));
      await expect(page).rejects.toEqual(appError("invalid_cursor"));
    }
  });
});
