import { withRights } from "@querybell/db";
import { type Caller, CreateAutomation, CreateDatabase, type Grantee } from "@querybell/domain";
import { describe, expect } from "vitest";
import { createAutomation, getAutomation, updateAutomation } from "../automations/index.ts";
import { createDatabase, listDatabases } from "../databases/index.ts";
import { createFolder, deleteFolder, listFolders } from "../folders/index.ts";
import { createKey } from "../keys/index.ts";
import { deleteItems, moveItems } from "../library/index.ts";
import { createServiceAccount } from "../members/index.ts";
import { updateSettings } from "../organizations/index.ts";
import { createQuery, getQuery, updateQuery } from "../queries/index.ts";
import { createReference, deleteReference, getReference } from "../references/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { setDatabaseAccess, setFolderAccess } from "./set-access.ts";

const everybody: Grantee = { kind: "everybody" };
const person = ({ userId }: Caller): Grantee => ({ kind: "person", userId });

/** What somebody does: with their rights, as a request has them. */
const test = dbTest.extend("as", { scope: "file" }, ({ deps }) => {
  return async <T>(caller: Caller, work: () => Promise<T>): Promise<T> =>
    withRights(await deps.rights.of(caller), work);
});

test("every view of the schema rights has the columns of its table", async ({ deps }) => {
  const { rows } = await deps.db.pool.query<{ view: string; isSame: boolean }>(`
    SELECT v.table_name AS view, (
      SELECT array_agg(column_name ORDER BY ordinal_position) FROM information_schema.columns
      WHERE table_schema = 'rights' AND table_name = v.table_name
    ) = (
      SELECT array_agg(column_name ORDER BY ordinal_position) FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = v.table_name
    ) AS "isSame"
    FROM information_schema.views v WHERE v.table_schema = 'rights'`);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ isSame }) => !isSame)).toEqual([]);
});

test("without the settings of a caller, the views are empty", async ({ deps, make }) => {
  await make.query(await make.owner(), "SELECT 1");
  const { rows } = await deps.db.pool.query("SELECT id FROM rights.queries");
  expect(rows).toEqual([]);
});

describe("somebody who sees a folder but may not edit it", () => {
  test("changes nothing in it, and puts nothing into it", async ({ deps, make, as }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const query = await make.query(owner, "SELECT 1");
    const { id: folderId } = await createFolder(deps, owner, { name: "Board", parentId: null });
    const items = [{ kind: "query" as const, id: query.id }];
    await moveItems(deps, owner, { items, folderId });
    await setFolderAccess(deps, owner, { folderId, grants: [{ grantee: everybody, level: "see" }] });
    await as(member, async () => {
      await getQuery(deps, member, query);
      const refused = appError("forbidden");
      await expect(updateQuery(deps, member, { id: query.id, name: "Mine" })).rejects.toEqual(refused);
      await expect(moveItems(deps, member, { items, folderId: null })).rejects.toEqual(refused);
      await expect(deleteItems(deps, member, { items })).rejects.toEqual(refused);
      await expect(deleteFolder(deps, member, { id: folderId })).rejects.toEqual(refused);
      await expect(createFolder(deps, member, { name: "In it", parentId: folderId })).rejects.toEqual(
        refused,
      );
      const { analyticalDatabaseConfigId } = query;
      const own = await createQuery(deps, member, { sql: "SELECT 2", analyticalDatabaseConfigId });
      const mine = [{ kind: "query" as const, id: own.id }];
      await expect(moveItems(deps, member, { items: mine, folderId })).rejects.toEqual(refused);
    });
  });
});

describe("a chart of a query that somebody may change", () => {
  test("keeps the query from being deleted by those who may not change the chart", async ({
    deps,
    make,
    as,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const query = await make.query(owner, "SELECT 1");
    const chart = await createReference(deps, owner, { queryId: query.id });
    const { id: folderId } = await createFolder(deps, owner, { name: "Hidden", parentId: null });
    await moveItems(deps, owner, { items: [{ kind: "reference", id: chart.id }], folderId });
    await setFolderAccess(deps, owner, { folderId, grants: [] });
    await as(member, async () => {
      await expect(getReference(deps, member, chart)).rejects.toEqual(appError("not_found"));
      const items = [{ kind: "query" as const, id: query.id }];
      await expect(deleteItems(deps, member, { items })).rejects.toEqual(appError("forbidden"));
    });
    await deleteReference(deps, owner, chart);
  });
});

describe("what is new", () => {
  test("is for nobody else, if the organization chose so", async ({ deps, make, as }) => {
    const owner = await make.owner();
    const [maker, other] = [await make.member(owner.organizationId), await make.member(owner.organizationId)];
    await updateSettings(deps, owner, { newAccess: "nobody" });
    const connection = { engine: "duckdb", settings: { file: "test.duckdb" } };
    await createDatabase(deps, owner, CreateDatabase.parse({ name: "Warehouse", connection }));
    const folder = await as(maker, () => createFolder(deps, maker, { name: "Mine", parentId: null }));
    const names = async (caller: Caller) => (await listFolders(deps, caller)).map(({ name }) => name);
    expect(await as(maker, () => names(maker))).toEqual(["Mine"]);
    expect(await as(other, () => names(other))).toEqual([]);
    expect(await as(owner, () => names(owner))).toEqual(["Mine"]);
    const databases = await as(other, () => listDatabases(deps, other));
    expect(databases.map(({ name }) => name)).not.toContain("Warehouse");
    // A folder in it has its rights.
    await as(maker, () => createFolder(deps, maker, { name: "Inner", parentId: folder.id }));
    expect(await as(other, () => names(other))).toEqual([]);
  });
});

describe("an automation", () => {
  test("has the rights of whoever last changed what it does", async ({ deps, make, as }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const chart = await make.reference(owner, "SELECT 1");
    const words = { name: "Look", instruction: "Look.", references: [{ shortId: chart.shortId }] };
    const { id } = await createAutomation(deps, owner, CreateAutomation.parse(words));
    const ownerOf = async () => (await deps.db.prisma.automation.findFirstOrThrow({ where: { id } })).ownerId;
    await updateAutomation(deps, member, { id, name: "Renamed", enabled: false });
    expect(await ownerOf()).toBe(owner.userId);
    await updateAutomation(deps, member, { id, instruction: "Look closer." });
    expect(await ownerOf()).toBe(member.userId);
    await setFolderAccess(deps, owner, { folderId: null, grants: [] });
    await as(member, () =>
      expect(getAutomation(deps, member, { id })).rejects.toEqual(appError("not_found")),
    );
  });
});

describe("an API key", () => {
  test("sees the databases and folders that it is for, and not more than its owner", async ({
    deps,
    make,
    as,
  }) => {
    const owner = await make.owner();
    const [inside, outside] = [await make.query(owner, "SELECT 1"), await make.query(owner, "SELECT 2")];
    const { id: folderId } = await createFolder(deps, owner, { name: "For the key", parentId: null });
    const { id: below } = await createFolder(deps, owner, { name: "Below", parentId: folderId });
    const items = [{ kind: "query" as const, id: inside.id }];
    await moveItems(deps, owner, { items, folderId: below });
    const callerOf = ({ id: keyId }: { id: string }, { userId, role }: Caller): Caller => ({
      ...owner,
      userId,
      role,
      via: { kind: "key", keyId, scopes: ["queries:read"], isNarrowed: true },
    });
    const sees = (caller: Caller, { id }: { id: string }) =>
      as(caller, () =>
        getQuery(deps, caller, { id }).then(
          () => true,
          () => false,
        ),
      );
    const scopes = ["queries:read" as const];
    const byFolder = callerOf(
      await createKey(deps, owner, { name: "F", scopes, folderIds: [folderId] }),
      owner,
    );
    expect([await sees(byFolder, inside), await sees(byFolder, outside)]).toEqual([true, false]);
    const databaseIds = [outside.analyticalDatabaseConfigId];
    const byDatabase = callerOf(await createKey(deps, owner, { name: "D", scopes, databaseIds }), owner);
    expect([await sees(byDatabase, inside), await sees(byDatabase, outside)]).toEqual([false, true]);

    const service = await createServiceAccount(deps, owner, { name: "Report", role: "member" });
    const { userId: serviceAccountId } = service;
    const key = await createKey(deps, owner, { name: "S", scopes, serviceAccountId, folderIds: [folderId] });
    const byService = callerOf(key, { ...owner, userId: serviceAccountId, role: "member" });
    expect(await sees(byService, inside)).toBe(true);
    await setDatabaseAccess(deps, owner, {
      databaseId: inside.analyticalDatabaseConfigId,
      grants: [{ grantee: person(owner), level: "run" }],
    });
    expect(await sees(byService, inside)).toBe(false);
    const elsewhere = await make.owner();
    const foreign = await createFolder(deps, elsewhere, { name: "Theirs", parentId: null });
    await expect(createKey(deps, owner, { name: "X", scopes, folderIds: [foreign.id] })).rejects.toEqual(
      appError("not_found"),
    );
  });
});
