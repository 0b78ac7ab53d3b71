import { inspect } from "node:util";
import { gunzipSync } from "node:zlib";
import { withRights } from "@querybell/db";
import { type Caller, CreatePublicLink, DashboardContent, jobs } from "@querybell/domain";
import { PublishedContent, type PublishedTile, readTokenHash } from "@querybell/public-pages";
import { describe, expect } from "vitest";
import { setFolderAccess, setRowPolicies } from "../access/index.ts";
import { createDashboard, refreshDashboard } from "../dashboards/index.ts";
import { createFolder } from "../folders/index.ts";
import { deleteItems, moveItems } from "../library/index.ts";
import { updateSettings } from "../organizations/index.ts";
import { createQuery } from "../queries/index.ts";
import { createReference } from "../references/index.ts";
import { runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { dbTest } from "../testing/db-test.ts";
import { execute } from "../testing/run-states.ts";
import {
  createPublicLink,
  listPublicLinks,
  listPublicLinksOf,
  publishAgain,
  revokePublicLink,
  rotatePublicLink,
  updatePublicLink,
  updatePublishedPage,
} from "./index.ts";

const marginConfig = { top: 16, right: 24, bottom: 24, left: 16 };
const bars = {
  type: "bar",
  jsxConfig: '<BarChart><XAxis dataKey="name" /><Bar dataKey="weight" /></BarChart>',
} as const;
const table = { type: "table", jsxConfig: '<Table><Column dataKey="name" hide={true} /></Table>' } as const;

const test = dbTest
  /** An organization that allows public links, with two charts that have run. */
  .extend("shop", { scope: "file" }, async ({ make, deps }) => {
    const owner = await make.owner();
    await updateSettings(deps, owner, { publicLinks: true });
    const { id: databaseId } = await make.database(owner);
    const chart = async (sql: string, visualization: typeof bars | typeof table = bars) => {
      const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId: databaseId });
      const { id } = await createReference(deps, owner, {
        queryId: query.id,
        title: "Fruit <b>",
        visualization: { ...visualization, marginConfig },
      });
      return { id, queryId: query.id };
    };
    const run = async (queryId: string) =>
      execute(deps, (await runQuery(deps, owner, { id: queryId, parameterValues: {} })).id);
    const fruit = await chart("SELECT name, weight FROM fruits");
    await run(fruit.queryId);
    const rows = await chart("SELECT name, weight FROM fruits", table);
    await run(rows.queryId);
    return { owner, databaseId, chart, run, fruit, rows };
  })
  .extend(
    "publish",
    { scope: "file" },
    ({ deps }) =>
      (caller: Caller, id: string, more: object = {}) =>
        createPublicLink(deps, caller, CreatePublicLink.parse({ item: { kind: "reference", id }, ...more })),
  )
  /** What the public process finds for an address, and for the number of a page. */
  .extend("find", { scope: "file" }, ({ deps }) => async (url: string, number = 0) => {
    const hash = Buffer.from(readTokenHash(new URL(url).pathname.slice(3)) ?? []);
    const { rows } = await deps.db.pool.query("SELECT pages FROM find_public_link($1)", [hash]);
    const page = rows[0]?.pages.find((one: { number: number }) => one.number === number);
    const read = await deps.db.pool.query("SELECT content FROM read_published_page($1, $2)", [hash, number]);
    return page && { ...page, content: PublishedContent.parse(read.rows[0].content) };
  });

describe("a public link", () => {
  test("shows a copy of the chart, with its pictures, and stores only a hash of its token", async ({
    shop,
    publish,
    find,
    deps,
  }) => {
    const logged = await auditDuring(deps, shop.owner.organizationId, async () => {
      const link = await publish(shop.owner, shop.fruit.id);
      expect(link).toMatchObject({ state: "open", hasPassword: false, views: 0, isFollowing: true });
      const { content } = await find(link.url);
      expect(content).toMatchObject({
        kind: "reference",
        title: "Fruit <b>",
        previewOf: shop.fruit.id,
        tabs: [{ tiles: [{ kind: "picture", description: expect.stringMatching(/^Fruit <b>\. /) }] }],
      });
      const files = await deps.db.prisma.publishedFile.findMany({
        where: { linkId: link.id },
        orderBy: { name: "asc" },
      });
      expect(files.map(({ name }) => name)).toEqual([
        ...["0-narrow-dark.svg", "0-narrow-light.svg", "0-wide-dark.svg", "0-wide-light.svg", "preview.png"],
      ]);
      expect(gunzipSync(files[0]?.bytes ?? "").toString()).toMatch(/^<svg .*width="358"/);
      const stored = await deps.db.prisma.publicLink.findUniqueOrThrow({ where: { id: link.id } });
      expect(inspect(stored)).not.toContain(new URL(link.url).pathname.slice(3));
    });
    expect(logged).toMatchObject([
      { action: "public_link.created", detail: { item: "reference", title: "Fruit <b>" } },
    ]);
  });

  test("of a table has the columns that it shows and no others", async ({ shop, publish, find }) => {
    const { content } = await find((await publish(shop.owner, shop.rows.id)).url);
    expect(content.tabs[0]?.tiles[0]).toMatchObject({
      kind: "table",
      columns: [{ title: "weight", isNumber: true }],
      rows: [["3"], ["5"]],
    });
    expect(JSON.stringify(content)).not.toContain("apple");
  });

  test("ends when it is revoked, rotated or expired, when links are turned off, and when the chart or its owner goes", async ({
    shop,
    publish,
    find,
    deps,
    make,
    clock,
  }) => {
    const { owner } = shop;
    const link = await publish(owner, shop.fruit.id, {
      expiresAt: new Date(clock.now().getTime() + 60_000).toISOString(),
    });
    const rotated = await rotatePublicLink(deps, owner, { id: link.id });
    expect(await find(link.url)).toBeUndefined();
    expect(await find(rotated.url)).toBeDefined();
    await updateSettings(deps, owner, { publicLinks: false });
    expect(await find(rotated.url)).toBeUndefined();
    await expect(publish(owner, shop.fruit.id)).rejects.toMatchObject(
      appError("forbidden", /Public links are off/),
    );
    await updateSettings(deps, owner, { publicLinks: true });
    expect(await find(rotated.url)).toBeDefined();
    await clock.advance(61_000);
    expect(await find(rotated.url)).toBeUndefined();
    expect((await listPublicLinks(deps, owner)).links.find(({ id }) => id === link.id)?.state).toBe(
      "expired",
    );
    await updatePublicLink(deps, owner, { id: link.id, expiresAt: null });
    expect(await find(rotated.url)).toBeDefined();
    await revokePublicLink(deps, owner, { id: link.id });
    expect(await find(rotated.url)).toBeUndefined();
    await expect(revokePublicLink(deps, owner, { id: link.id })).rejects.toMatchObject(appError("not_found"));

    const member = await make.member(owner.organizationId);
    const left = await publish(member, shop.fruit.id);
    await deps.db.prisma.member.delete({
      where: { organizationId_userId: { organizationId: owner.organizationId, userId: member.userId } },
    });
    expect(await find(left.url)).toBeUndefined();
    const kept = await rotatePublicLink(deps, owner, { id: left.id });
    expect(await find(kept.url)).toBeDefined();
    const gone = await shop.chart("SELECT name, weight FROM fruits LIMIT 1");
    await shop.run(gone.queryId);
    const deleted = await publish(owner, gone.id);
    await deleteItems(deps, owner, { items: [{ kind: "reference", id: gone.id }] });
    expect(await find(deleted.url)).toBeUndefined();
  });

  test("is refused without a stored result, without the right, and for rows that depend on the reader", async ({
    shop,
    publish,
    deps,
    make,
  }) => {
    const { owner } = shop;
    const unrun = await shop.chart("SELECT 1 AS name, 2 AS weight");
    await expect(publish(owner, unrun.id)).rejects.toMatchObject(appError("conflict", /no stored result/));
    const own = await shop.chart("SELECT {{user_email}} AS name, 2 AS weight");
    await shop.run(own.queryId);
    await expect(publish(owner, own.id)).rejects.toMatchObject(appError("conflict", /depend on who looks/));
    const stranger = await make.owner();
    await updateSettings(deps, stranger, { publicLinks: true });
    await expect(publish(stranger, shop.fruit.id)).rejects.toMatchObject(appError("not_found"));

    const folder = await createFolder(deps, owner, { name: "Closed", parentId: null });
    const member = await make.member(owner.organizationId);
    await setFolderAccess(deps, owner, {
      folderId: folder.id,
      grants: [{ grantee: { kind: "person", userId: member.userId }, level: "see" }],
    });
    const closed = await shop.chart("SELECT name, weight FROM fruits LIMIT 2");
    await moveItems(deps, owner, {
      items: [
        { kind: "reference", id: closed.id },
        { kind: "query", id: closed.queryId },
      ],
      folderId: folder.id,
    });
    await shop.run(closed.queryId);
    const link = await publish(owner, closed.id);
    const asMember = async <T>(work: () => Promise<T>) => withRights(await deps.rights.of(member), work);
    await expect(asMember(() => publish(member, closed.id))).rejects.toMatchObject(appError("forbidden"));
    for (const change of [revokePublicLink, rotatePublicLink, publishAgain] as const) {
      await expect(asMember<unknown>(() => change(deps, member, { id: link.id }))).rejects.toMatchObject(
        appError("forbidden"),
      );
    }
    const other = await make.member(owner.organizationId);
    await expect(
      withRights(await deps.rights.of(other), () =>
        listPublicLinksOf(deps, other, { kind: "reference", id: closed.id }),
      ),
    ).rejects.toMatchObject(appError("not_found"));
  });

  test("follows newer results, with the rights of its owner", async ({ shop, publish, find, deps }) => {
    const { owner } = shop;
    const { id, queryId } = await shop.chart("SELECT random() AS name, 1 AS weight", table);
    await shop.run(queryId);
    const link = await publish(owner, id);
    const before = await find(link.url);
    expect(await updatePublishedPage(deps, { linkId: link.id })).toBe("unchanged");
    await shop.run(queryId);
    const { rows } = await deps.db.pool.query(
      "SELECT payload FROM graphile_worker._private_jobs WHERE key = $1",
      [`update_published_page ${link.id}`],
    );
    expect(rows).toEqual([{ payload: { linkId: link.id } }]);
    expect(await updatePublishedPage(deps, jobs.update_published_page.payload.parse(rows[0].payload))).toBe(
      "replaced",
    );
    expect((await find(link.url)).version).not.toBe(before.version);
    await updatePublicLink(deps, owner, { id: link.id, isFollowing: false });
    expect(await updatePublishedPage(deps, { linkId: link.id })).toBe("not wanted any more");
  });
});

test("a dashboard shows the moment of its refresh, and hides a chart that is deleted or under other policies", async ({
  shop,
  find,
  deps,
}) => {
  const { owner } = shop;
  const charts = [
    await shop.chart("SELECT name, weight FROM fruits"),
    await shop.chart("SELECT name, weight FROM fruits", table),
  ];
  const own = await shop.chart("SELECT {{user_email}} AS name, 2 AS weight");
  const tiles = [...charts, own].map(({ id: referenceId }, at) => ({
    ...{ id: `tile-${at}`, kind: "chart", referenceId, shows: "chart", x: 0, y: at * 4, w: 6, h: 4 },
  }));
  const text = { id: "text", kind: "text", x: 6, y: 0, w: 6, h: 4, text: "# Hello" };
  const { id } = await createDashboard(deps, owner, {
    ...{ title: "Shop", description: null, folderId: null },
    content: DashboardContent.parse({ tabs: [{ id: "tab", title: "Overview", tiles: [...tiles, text] }] }),
  });
  const refresh = await refreshDashboard(deps, owner, { id });
  for (const run of await deps.db.prisma.queryRun.findMany({
    where: { refreshId: refresh.id, leaderId: null },
  }))
    await execute(deps, run.id);
  const link = await createPublicLink(
    deps,
    owner,
    CreatePublicLink.parse({ item: { kind: "dashboard", id } }),
  );
  const { content, hidden } = await find(link.url);
  expect(content.tabs[0]?.tiles.map(({ kind }: PublishedTile) => kind)).toEqual([
    "picture",
    "table",
    "empty",
    "text",
  ]);
  expect(content.asOf).not.toBeNull();
  expect(hidden).toEqual([]);
  expect(content.previewOf).toBe(charts[0]?.id);
  // A picture for previews that cannot be drawn is left out; when the hosts are busy, it is tried again.
  const publishWhen = (code: "engine_crashed" | "cancelled") => {
    const drawDashboard = async () => ({ kind: "failed", failure: { code, message: "Busy." } }) as const;
    const engines = { ...deps.engines, drawDashboard };
    return publishAgain({ ...deps, engines }, owner, { id: link.id });
  };
  await expect(publishWhen("cancelled")).rejects.toMatchObject(appError("unavailable"));
  await publishWhen("engine_crashed");
  expect((await find(link.url)).content).toMatchObject({ previewOf: null, tabs: content.tabs });
  await deleteItems(deps, owner, { items: [{ kind: "reference", id: charts[0]?.id ?? "" }] });
  expect((await find(link.url)).hidden).toEqual([charts[0]?.id]);
  await setRowPolicies(deps, owner, {
    databaseId: shop.databaseId,
    policies: [{ table: "fruits", placeholder: "user_email" }],
  });
  expect((await find(link.url)).hidden).toEqual(charts.map(({ id }) => id).toSorted());
});
