import { describe, expect } from "vitest";
import { createFolder } from "../folders/index.ts";
import { listQueries } from "../queries/index.ts";
import { getReference, listReferences } from "../references/index.ts";
import { search } from "../search.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { archiveItems, deleteItems, listFavourites, setFavourite, undoDelete } from "./index.ts";

describe("favourites", () => {
  dbTest("of every kind are one person's own, newest first", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const chart = await make.reference(owner, "SELECT 1", { title: "Revenue" });
    const automation = await make.automation(owner, {
      name: "Watch",
      references: [{ shortId: chart.shortId }],
    });
    const folder = await createFolder(deps, owner, { name: "Sales", parentId: null });
    const marked = [
      { kind: "query", id: chart.currentQuery?.id ?? "", title: "SELECT 1", shortId: null },
      { kind: "reference", id: chart.id, title: "Revenue", shortId: chart.shortId },
      { kind: "automation", id: automation.id, title: "Watch", shortId: null },
      { kind: "folder", id: folder.id, title: "Sales", shortId: null },
    ] as const;
    for (const { kind, id } of marked) {
      await clock.advance(1);
      // Twice: the second time changes nothing.
      for (const _ of [1, 2]) await setFavourite(deps, owner, { kind, id, isFavourite: true });
    }
    expect(await listFavourites(deps, owner)).toEqual(marked.toReversed());
    expect(await listFavourites(deps, member)).toEqual([]);
    await setFavourite(deps, owner, { kind: "folder", id: folder.id, isFavourite: false });
    const deletion = await deleteItems(deps, owner, { items: [{ kind: "reference", id: chart.id }] });
    expect((await listFavourites(deps, owner)).map(({ kind }) => kind)).toEqual(["automation", "query"]);
    await undoDelete(deps, owner, deletion);
    expect(await listFavourites(deps, owner)).toHaveLength(3);
  });

  dbTest("are at most 200, also if several are added at once", async ({ deps, make }) => {
    const owner = await make.owner();
    await deps.db.pool.query(
      `INSERT INTO folders (id, organization_id, name, created_by, created_at, updated_at)
       SELECT uuidv7(), $1, 'Folder ' || n, $2, now(), now() FROM generate_series(1, 210) n`,
      [owner.organizationId, owner.userId],
    );
    const folders = await deps.db.prisma.folder.findMany({ where: { organizationId: owner.organizationId } });
    await deps.db.pool.query(
      `INSERT INTO favourites (id, organization_id, user_id, folder_id, created_at)
       SELECT uuidv7(), $1, $2, id, now() FROM unnest($3::uuid[]) id`,
      [owner.organizationId, owner.userId, folders.slice(0, 195).map(({ id }) => id)],
    );
    const mark = ({ id }: { id: string }) =>
      setFavourite(deps, owner, { kind: "folder", id, isFavourite: true });
    const added = await Promise.allSettled(folders.slice(195).map(mark));
    expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    const refused = added.find((one) => one.status === "rejected");
    expect(refused?.reason).toEqual(appError("conflict", /200 favourites/));
    expect(await listFavourites(deps, owner)).toHaveLength(200);
    // One that is a favourite already still is.
    for (const folder of folders.slice(0, 1)) await mark(folder);
  });

  dbTest("are nothing of another organization", async ({ deps, make }) => {
    const { id } = await make.query(await make.owner(), "SELECT 1");
    const marked = setFavourite(deps, await make.owner(), { kind: "query", id, isFavourite: true });
    await expect(marked).rejects.toEqual(appError("not_found"));
  });
});

describe("the archive", () => {
  dbTest("hides from the search and changes nothing that is published", async ({ deps, make }) => {
    const owner = await make.owner();
    const chart = await make.reference(owner, "SELECT 'zebra'", { title: "Zebras" });
    const published = async () => ({
      references: await listReferences(deps, owner, { limit: 9 }),
      queries: await listQueries(deps, owner, { limit: 9 }),
      permalink: await getReference(deps, owner, chart),
    });
    const find = async () => (await search(deps, owner, { text: "zebra", limit: 9 })).items.length;
    const before = await published();
    expect(await find()).toBe(2);
    const items = [
      { kind: "reference" as const, id: chart.id },
      { kind: "query" as const, id: chart.currentQuery?.id ?? "" },
    ];
    await archiveItems(deps, owner, { items, isArchived: true });
    expect(await published()).toEqual(before);
    expect(await find()).toBe(0);
    await archiveItems(deps, owner, { items, isArchived: false });
    expect(await find()).toBe(2);
  });
});
