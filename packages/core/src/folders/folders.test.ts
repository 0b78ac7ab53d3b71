import { type Caller, newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import { deleteItems, moveItems, undoDelete } from "../library/index.ts";
import { createQuery } from "../queries/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { createFolder, deleteFolder, listFolders, updateFolder } from "./index.ts";

const test = dbTest.extend("folder", { scope: "file" }, ({ deps }) => {
  return (caller: Caller, name: string, parentId: string | null = null) =>
    createFolder(deps, caller, { name, parentId });
});

describe("a folder", () => {
  test("has a name that no sibling has, whatever its case", async ({ deps, make, folder }) => {
    const owner = await make.owner();
    const sales = await folder(owner, "Sales");
    const inner = await folder(owner, "Sales", sales.id);
    await expect(folder(owner, "SALES")).rejects.toEqual(appError("conflict"));
    await expect(updateFolder(deps, owner, { id: inner.id, parentId: null })).rejects.toEqual(
      appError("conflict"),
    );
    expect(await updateFolder(deps, owner, { id: sales.id, name: "sales" })).toMatchObject({ name: "sales" });
    await folder(await make.owner(), "Sales");
  });

  test("cannot be moved into itself or below itself", async ({ deps, make, folder }) => {
    const owner = await make.owner();
    const top = await folder(owner, "Top");
    const middle = await folder(owner, "Middle", top.id);
    const bottom = await folder(owner, "Bottom", middle.id);
    for (const parentId of [top.id, middle.id, bottom.id]) {
      const moved = updateFolder(deps, owner, { id: top.id, parentId });
      await expect(moved).rejects.toEqual(appError("conflict"));
    }
    expect(await updateFolder(deps, owner, { id: bottom.id, parentId: null })).toMatchObject({
      parentId: null,
    });
  });

  test("that two people move into each other at once is moved by one of them", async ({
    deps,
    make,
    folder,
  }) => {
    const owner = await make.owner();
    for (let round = 0; round < 10; round++) {
      const [one, other] = [await folder(owner, `One ${round}`), await folder(owner, `Other ${round}`)];
      const moves = await Promise.allSettled([
        updateFolder(deps, owner, { id: one.id, parentId: other.id }),
        updateFolder(deps, owner, { id: other.id, parentId: one.id }),
      ]);
      expect(moves.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
  });

  test("is at most on the eighth level, with all that is below it", async ({ deps, make, folder }) => {
    const owner = await make.owner();
    const levels = [await folder(owner, "Level 1")];
    for (let level = 2; level <= 8; level++) {
      levels.push(await folder(owner, `Level ${level}`, levels.at(-1)?.id));
    }
    await expect(folder(owner, "Level 9", levels.at(-1)?.id)).rejects.toEqual(appError("conflict"));
    const branch = await folder(owner, "Branch");
    await folder(owner, "Twig", branch.id);
    const [seventh = branch, sixth = branch] = [levels[6], levels[5]];
    await expect(updateFolder(deps, owner, { id: branch.id, parentId: seventh.id })).rejects.toEqual(
      appError("conflict"),
    );
    await updateFolder(deps, owner, { id: branch.id, parentId: sixth.id });
  });

  test("is one of at most 1,000", async ({ deps, make, folder }) => {
    const owner = await make.owner();
    await deps.db.pool.query(
      `INSERT INTO folders (id, organization_id, name, created_by, created_at, updated_at)
       SELECT uuidv7(), $1, 'Folder ' || n, $2, now(), now() FROM generate_series(1, 999) n`,
      [owner.organizationId, owner.userId],
    );
    await folder(owner, "The last");
    await expect(folder(owner, "One more")).rejects.toEqual(appError("conflict"));
  });

  test("that is deleted leaves what was in it to its parent, deleted queries too", async ({
    deps,
    make,
    folder,
  }) => {
    const owner = await make.owner();
    const parent = await folder(owner, "Parent");
    const gone = await folder(owner, "Gone", parent.id);
    const child = await folder(owner, "Child", gone.id);
    const { id, analyticalDatabaseConfigId } = await make.query(owner, "SELECT 1");
    const other = await createQuery(deps, owner, { sql: "SELECT 2", analyticalDatabaseConfigId });
    const items = [id, other.id].map((one) => ({ kind: "query" as const, id: one }));
    await moveItems(deps, owner, { items, folderId: gone.id });
    const deletion = await deleteItems(deps, owner, { items: items.slice(1) });
    await deleteFolder(deps, owner, { id: gone.id });
    await undoDelete(deps, owner, deletion);
    const queries = await deps.db.prisma.query.findMany({ where: { id: { in: [id, other.id] } } });
    expect(queries.map(({ folderId }) => folderId)).toEqual([parent.id, parent.id]);
    expect(await listFolders(deps, owner)).toMatchObject([
      { id: child.id, parentId: parent.id },
      { id: parent.id, parentId: null },
    ]);
  });

  test("is not deleted while a folder in it has the name of one beside it", async ({
    deps,
    make,
    folder,
  }) => {
    const owner = await make.owner();
    const sales = await folder(owner, "Sales");
    await folder(owner, "Europe");
    const europe = await folder(owner, "europe", sales.id);
    await expect(deleteFolder(deps, owner, { id: sales.id })).rejects.toEqual(appError("conflict"));
    await updateFolder(deps, owner, { id: europe.id, name: "Sales" });
    // The name of the folder that goes is free.
    await deleteFolder(deps, owner, { id: sales.id });
    expect((await listFolders(deps, owner)).map(({ name }) => name)).toEqual(["Europe", "Sales"]);
  });

  test("takes nothing of another organization", async ({ deps, make, folder }) => {
    const [owner, other] = [await make.owner(), await make.owner()];
    const theirs = await folder(other, "Theirs");
    const { id } = await make.query(owner, "SELECT 1");
    const items = [{ kind: "query" as const, id }];
    await expect(moveItems(deps, owner, { items, folderId: theirs.id })).rejects.toEqual(
      appError("not_found"),
    );
    await expect(
      deps.db.prisma.query.update({ where: { id }, data: { folderId: theirs.id } }),
    ).rejects.toThrow("queries_organization_id_folder_id_fkey");
    await expect(folder(owner, "Mine", newId(deps.clock))).rejects.toEqual(appError("not_found"));
  });
});
