import { withRights } from "@querybell/db";
import { type Caller, DashboardContent, ListItems } from "@querybell/domain";
import { describe, expect } from "vitest";
import { setFolderAccess } from "../access/index.ts";
import { listAudit } from "../audit.ts";
import { createFolder, deleteFolder } from "../folders/index.ts";
import { readHomeOverview, recordOpened } from "../home.ts";
import {
  archiveItems,
  deleteItems,
  duplicateItems,
  findDependents,
  listFavourites,
  listItems,
  moveItems,
  setFavourite,
  undoDelete,
} from "../library/index.ts";
import { createReference } from "../references/index.ts";
import { runQuery } from "../runs/index.ts";
import { search } from "../search.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import {
  createDashboard,
  getDashboard,
  getDashboardVersion,
  listDashboardVersions,
  updateDashboard,
} from "./index.ts";

const test = dbTest
  .extend(
    "as",
    { scope: "file" },
    ({ deps }) =>
      async <T>(caller: Caller, work: () => Promise<T>): Promise<T> =>
        withRights(await deps.rights.of(caller), work),
  )
  .extend("makeChart", { scope: "file" }, ({ deps, make }) => async (caller: Caller, sql: string) => {
    const { id: queryId } = await make.query(caller, sql);
    return { queryId, ...(await createReference(deps, caller, { queryId, title: `Chart of ${sql}` })) };
  });

/** A content with one tab: a chart for each reference, one below the other. */
const showing = (...references: { id: string }[]) =>
  DashboardContent.parse({
    tabs: [
      {
        id: "tab",
        title: "Overview",
        tiles: references.map(({ id: referenceId }, at) => ({
          ...{ id: `tile-${at}`, kind: "chart", referenceId, shows: "chart", x: 0, y: at * 4, w: 6, h: 4 },
        })),
      },
    ],
  });

const plain = { title: "Sales", description: null, folderId: null };

describe("a dashboard", () => {
  test("shows its charts with their newest stored results", async ({ deps, make, makeChart }) => {
    const owner = await make.owner();
    const [run, waiting] = [await makeChart(owner, "SELECT 1 AS one"), await makeChart(owner, "SELECT 2")];
    const { id: runId } = await runQuery(deps, owner, { id: run.queryId, parameterValues: {} });
    await execute(deps, runId);
    const { id } = await createDashboard(deps, owner, { ...plain, content: showing(run, waiting) });
    expect(await getDashboard(deps, owner, { id })).toMatchObject({
      ...{ title: "Sales", version: 1, mayEdit: true },
      charts: [
        {
          state: "shown",
          title: "Chart of SELECT 1 AS one",
          result: { runId, isExpired: false },
          missing: null,
        },
        { state: "shown", result: null, missing: "It was not refreshed yet." },
      ],
    });
  });

  test("is seen in its organization only", async ({ deps, make, makeChart }) => {
    const [owner, other] = [await make.owner(), await make.owner()];
    const chart = await makeChart(owner, "SELECT 1");
    const { id } = await createDashboard(deps, owner, plain);
    await expect(getDashboard(deps, other, { id })).rejects.toEqual(appError("not_found"));
    await expect(updateDashboard(deps, other, { id, title: "Mine" })).rejects.toEqual(appError("not_found"));
    const content = showing(chart);
    await expect(createDashboard(deps, other, { ...plain, content })).rejects.toEqual(appError("not_found"));
  });

  test("is in lists, searches, favourites and recent items, and comes back after its deletion", async ({
    deps,
    make,
    makeChart,
  }) => {
    const owner = await make.owner();
    const chart = await makeChart(owner, "SELECT 1");
    const dashboard = await createDashboard(deps, owner, {
      ...{ title: "Weather report", description: "Of towns", folderId: null, content: showing(chart) },
    });
    const item = { kind: "dashboard", id: dashboard.id } as const;
    const list = (more: Partial<ListItems> = {}) =>
      listItems(deps, owner, ListItems.parse({ kind: "dashboard", ...more }));
    const titles = async (more: Partial<ListItems> = {}) =>
      (await list(more)).items.map(({ title }) => title);
    expect((await list()).items).toMatchObject([{ title: "Weather report", charts: 1, lastRunAt: null }]);
    for (const sort of ["name", "lastRun", "creator"] as const)
      expect(await titles({ sort })).toHaveLength(1);
    expect(await titles({ search: "towns" })).toHaveLength(1);
    expect((await search(deps, owner, { text: "weath", limit: 5 })).items).toMatchObject([item]);
    await setFavourite(deps, owner, { ...item, isFavourite: true });
    expect(await listFavourites(deps, owner)).toMatchObject([item]);
    await recordOpened(deps, owner, item);
    expect((await readHomeOverview(deps, owner)).recent).toMatchObject([
      { ...item, title: "Weather report" },
    ]);
    const dependents = await findDependents(deps, owner, { items: [{ kind: "reference", id: chart.id }] });
    expect(dependents.dashboards).toMatchObject({ total: 1, first: [{ id: dashboard.id }] });

    const [copy] = await duplicateItems(deps, owner, { items: [item] });
    expect(await getDashboard(deps, owner, { id: copy?.id ?? "" })).toMatchObject({
      ...{ title: "Weather report (copy)", content: dashboard.content },
    });
    await archiveItems(deps, owner, { items: [item], isArchived: true });
    expect(await titles()).toEqual(["Weather report (copy)"]);
    await archiveItems(deps, owner, { items: [item], isArchived: false });
    const deletion = await deleteItems(deps, owner, { items: [item] });
    await expect(getDashboard(deps, owner, dashboard)).rejects.toEqual(appError("not_found"));
    await undoDelete(deps, owner, deletion);
    expect(await getDashboard(deps, owner, dashboard)).toMatchObject({ title: "Weather report" });
  });

  test("moves up when its folder is deleted", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id: folderId } = await createFolder(deps, owner, { name: "Sales", parentId: null });
    await createDashboard(deps, owner, { ...plain, folderId });
    await deleteFolder(deps, owner, { id: folderId });
    const { items } = await listItems(deps, owner, ListItems.parse({ kind: "dashboard" }));
    expect(items).toMatchObject([{ folderId: null }]);
  });

  test.each([
    [
      "overlap",
      [
        { x: 0, y: 0, w: 6, h: 4 },
        { x: 5, y: 3, w: 2, h: 2 },
      ],
    ],
    ["columns", [{ x: 8, y: 0, w: 6, h: 4 }]],
  ])("has no tiles that do not fit: %s", (reason, places) => {
    const tiles = places.map((place, at) => ({ id: `t${at}`, kind: "text", text: "", ...place }));
    const { error } = DashboardContent.safeParse({ tabs: [{ id: "tab", title: "Tab", tiles }] });
    expect(error?.message).toContain(reason);
  });
});

describe("the versions of a dashboard", () => {
  test("let nobody overwrite what somebody else has changed", async ({ deps, make, makeChart }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id, version } = await createDashboard(deps, owner, plain);
    const content = showing(await makeChart(owner, "SELECT 1"));
    const writes = await Promise.allSettled([
      updateDashboard(deps, owner, { id, version, content }),
      updateDashboard(deps, member, { id, version, content: showing() }),
    ]);
    const lost = writes.flatMap((write) => (write.status === "rejected" ? [write.reason] : []));
    expect(lost).toEqual([appError("dashboard_changed", /version 2 now/)]);
    // The same once more, because its answer got lost, is no conflict. A title is no part of a version.
    const now = await getDashboard(deps, owner, { id });
    expect(await updateDashboard(deps, owner, { id, version, content: now.content })).toMatchObject({
      version: 2,
    });
    expect(await updateDashboard(deps, owner, { id, title: "Mine" })).toMatchObject({ version: 2 });
  });

  test("are kept for each person and ten minutes, and recorded as often", async ({
    deps,
    make,
    makeChart,
    clock,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const charts = [await makeChart(owner, "SELECT 1"), await makeChart(owner, "SELECT 2")] as const;
    const { id } = await createDashboard(deps, owner, plain);
    await clock.advance(60_000);
    for (const content of [showing(charts[0]), showing(charts[1]), showing(...charts)]) {
      await updateDashboard(deps, owner, { id, content });
    }
    await updateDashboard(deps, member, { id, content: showing() });
    const versions = await listDashboardVersions(deps, owner, { id });
    expect(versions).toMatchObject([
      { version: 5, createdBy: member.userId },
      { version: 4, createdBy: owner.userId },
      { version: 1, createdBy: owner.userId },
    ]);
    const kept = await getDashboardVersion(deps, owner, { id, version: 4 });
    expect(kept.content).toEqual(showing(...charts));
    await expect(getDashboardVersion(deps, owner, { id, version: 2 })).rejects.toEqual(appError("not_found"));
    const { items } = await listAudit(deps, owner, { limit: 10, targetId: id });
    expect(items.map(({ action, detail }) => [action, detail.version])).toEqual([
      ["dashboard.changed", 5],
      ["dashboard.changed", 2],
      ["dashboard.created", undefined],
    ]);
  });
});

describe("rights", () => {
  test("a chart that the viewer may not see has no title, and survives their changes", async ({
    deps,
    make,
    makeChart,
    as,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const [open, secret] = [await makeChart(owner, "SELECT 1"), await makeChart(owner, "SELECT 'salaries'")];
    const { id: folderId } = await createFolder(deps, owner, { name: "Board", parentId: null });
    await moveItems(deps, owner, { items: [{ kind: "query", id: secret.queryId }], folderId });
    await setFolderAccess(deps, owner, { folderId, grants: [] });
    const { id } = await createDashboard(deps, owner, { ...plain, content: showing(open, secret) });
    await as(member, async () => {
      const seen = await getDashboard(deps, member, { id });
      expect(seen.charts).toMatchObject([{ state: "shown" }, { state: "hidden" }]);
      expect(JSON.stringify(seen)).not.toContain("salaries");
      expect(await updateDashboard(deps, member, { id, content: showing(secret, open) })).toMatchObject({
        version: 2,
      });
      // But nobody adds what they do not see.
      const own = { ...plain, content: showing(secret) };
      await expect(createDashboard(deps, member, own)).rejects.toEqual(appError("not_found"));
    });
    const references = await deps.db.prisma.dashboardReference.count({ where: { dashboardId: id } });
    expect(references).toBe(2);
  });

  test("of the folder say who sees and who changes it", async ({ deps, make, as }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id: folderId } = await createFolder(deps, owner, { name: "Board", parentId: null });
    const { id } = await createDashboard(deps, owner, { ...plain, folderId });
    const everybody = { kind: "everybody" } as const;
    await setFolderAccess(deps, owner, { folderId, grants: [{ grantee: everybody, level: "see" }] });
    await as(member, async () => {
      expect(await getDashboard(deps, member, { id })).toMatchObject({ mayEdit: false });
      const refused = appError("forbidden");
      await expect(updateDashboard(deps, member, { id, title: "Mine" })).rejects.toEqual(refused);
    });
    await setFolderAccess(deps, owner, { folderId, grants: [] });
    await as(member, async () => {
      await expect(getDashboard(deps, member, { id })).rejects.toEqual(appError("not_found"));
      await expect(listDashboardVersions(deps, member, { id })).rejects.toEqual(appError("not_found"));
      expect((await listItems(deps, member, ListItems.parse({ kind: "dashboard" }))).items).toEqual([]);
    });
  });
});
