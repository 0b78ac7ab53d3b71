import { createDashboard } from "@querybell/core/dashboards";
import { deleteItems } from "@querybell/core/library";
import { updateSettings } from "@querybell/core/organizations";
import {
  createPublicLink,
  listPublicLinks,
  revokePublicLink,
  updatePublicLink,
} from "@querybell/core/public-links";
import { createReference } from "@querybell/core/references";
import { CreatePublicLink, newId, noFilters } from "@querybell/domain";
import { newPageToken } from "@querybell/public-pages";
import { describe, expect } from "vitest";
import { secretText, publicTest as test } from "./testing/public-test.ts";

describe("a public page", () => {
  test("is HTML without scripts, with the pictures of the chart, that no search engine keeps", async ({
    pages,
    shop,
    publish,
  }) => {
    const { path } = await publish(shop.owner, shop.bars);
    const response = await fetch(`${pages.url}${path}`);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain("<h1>Fruit</h1>");
    expect(text).toContain(`<meta property="og:image" content="https://pages.example${path}/preview.png">`);
    expect(text).not.toMatch(/<script|style="/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-robots-tag": "noindex, nofollow, noarchive",
      "referrer-policy": "no-referrer",
      "cache-control": "private, no-cache",
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; img-src 'self' data:; style-src 'self' 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      ),
    });
    const etag = response.headers.get("etag") ?? "";
    const again = await fetch(`${pages.url}${path}`, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const picture = await fetch(`${pages.url}${path}/0-narrow-dark.svg`);
    expect(picture.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(await picture.text()).toMatch(/^<svg .*<\/svg>$/s);
    const preview = Buffer.from(await (await fetch(`${pages.url}${path}/preview.png`)).arrayBuffer());
    expect(preview.subarray(1, 4).toString()).toBe("PNG");
    const plain = await fetch(`${pages.url}${path}`, { headers: { "accept-encoding": "identity" } });
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, text]);
  });

  test("shows rows as text, exactly, and no column that is hidden", async ({ pages, shop, publish }) => {
    const { path } = await publish(shop.owner, shop.table);
    const text = await (await fetch(`${pages.url}${path}`)).text();
    expect(text).toContain("shown &lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).toContain("12,345,678,901,234,567,890");
    expect(text).not.toContain(secretText);
  });

  test("is gone with the next request after its link is revoked, like one that never was", async ({
    pages,
    shop,
    publish,
    deps,
  }) => {
    const { id, path } = await publish(shop.owner, shop.bars);
    const never = await fetch(`${pages.url}/p/${"A".repeat(32)}`);
    const wrong = await fetch(`${pages.url}/p/..%2f..%2fetc`);
    expect((await fetch(`${pages.url}${path}`)).status).toBe(200);
    await revokePublicLink(deps, shop.owner, { id });
    const gone = await fetch(`${pages.url}${path}`);
    const file = await fetch(`${pages.url}${path}/preview.png`);
    const answers = await Promise.all(
      [never, wrong, gone, file].map(async (response) => ({
        status: response.status,
        text: await response.text(),
        headers: [...response.headers].filter(([name]) => name !== "date"),
      })),
    );
    expect(answers[0]?.status).toBe(404);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  test("with choices shows each published value, and says so when there is no page for one", async ({
    pages,
    publishRegions,
    shop,
    publish,
    deps,
  }) => {
    const { id, path } = await publishRegions();
    const open = async (search: string) => {
      const response = await fetch(`${pages.url}${path}${search}`);
      return {
        status: response.status,
        refresh: response.headers.get("refresh"),
        text: await response.text(),
      };
    };
    const first = await open("");
    expect(first.text).toContain("All of north");
    expect(first.text).toContain('<option value="north" selected>north</option>');
    const second = await open("?f.region=south+%26+west");
    expect(second).toMatchObject({ status: 200, refresh: null });
    expect(second.text).toContain("All of south &amp; west");
    expect(second.text).toContain(`<a href="${path}">Reset</a>`);
    for (const search of ["?f.region=east", "?f.region=north&f.region=north", "?f.other=1", "?f.region="]) {
      const none = await open(search);
      expect(none).toMatchObject({ status: 404, refresh: null });
      expect(none.text).toContain("These values are not published.");
    }
    const runs = await deps.db.prisma.queryRun.count();
    await updatePublicLink(deps, shop.owner, { id, choices: [{ name: "region", values: ["south & west"] }] });
    const waiting = await open("");
    expect(waiting).toMatchObject({ status: 404, refresh: "10" });
    expect(waiting.text).toContain("There are no results for these values yet.");
    expect((await open("?f.region=north")).text).toContain("These values are not published.");
    expect(await deps.db.prisma.queryRun.count()).toBe(runs);
    const plain = await publish(shop.owner, shop.table);
    expect((await fetch(`${pages.url}${plain.path}?f.region=north`)).status).toBe(404);
  });

  test("with a password opens with it alone, until it is changed", async ({ pages, shop, publish, deps }) => {
    const { id, path } = await publish(shop.owner, shop.table, { password: "correct horse" });
    const open = (headers: Record<string, string> = {}) => fetch(`${pages.url}${path}`, { headers });
    const send = (password: string) =>
      fetch(`${pages.url}${path}`, {
        method: "POST",
        body: new URLSearchParams({ password }),
        redirect: "manual",
      });
    const closed = await open();
    const form = await closed.text();
    expect(closed.status).toBe(401);
    expect(form).toContain("This page has a password");
    expect(form).not.toMatch(/Rows|og:/);
    expect((await fetch(`${pages.url}${path}/preview.png`)).status).toBe(404);
    expect((await send("wrong horse")).status).toBe(403);
    const right = await send("correct horse");
    const cookie = right.headers.get("set-cookie") ?? "";
    expect([right.status, right.headers.get("location")]).toEqual([303, path]);
    expect(cookie).toMatch(
      new RegExp(`^qb_page=[^;]+; Path=${path}; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$`),
    );
    const [pair = ""] = cookie.split(";");
    const chosen = `${path}?f.region=a+%26+%22b%22&tab=x`;
    const withValues = await fetch(`${pages.url}${chosen}`);
    expect(await withValues.text()).toContain(`action="${chosen.replaceAll("&", "&amp;")}"`);
    const opening = { method: "POST", body: new URLSearchParams({ password: "correct horse" }) };
    const withPassword = await fetch(`${pages.url}${chosen}`, { ...opening, redirect: "manual" });
    expect(withPassword.headers.get("location")).toBe(chosen);
    const opened = await open({ cookie: pair });
    expect([opened.status, (await opened.text()).includes("og:image")]).toEqual([200, false]);
    expect((await open({ cookie: pair.replace(/\.\S$/, ".x").replace("=1", "=2") })).status).toBe(401);
    await updatePublicLink(deps, shop.owner, { id, password: "another horse" });
    expect((await open({ cookie: pair })).status).toBe(401);
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await send("wrong horse")).status),
    );
    expect(statuses).toContain(429);
  });

  test("of a dashboard has a preview of all its charts, until one of them is not public any more", async ({
    pages,
    shop,
    deps,
  }) => {
    const { queryId } = await deps.db.prisma.queryReference.findUniqueOrThrow({ where: { id: shop.bars } });
    const second = await createReference(deps, shop.owner, { queryId: queryId ?? "", title: "Second" });
    const charts = [shop.bars, second.id];
    const tiles = charts.map((referenceId, at) => ({
      ...({ id: `${at}`, kind: "chart", referenceId, shows: "chart" } as const),
      ...{ x: 6 * at, y: 0, w: 6, h: 6 },
    }));
    const { id } = await createDashboard(deps, shop.owner, {
      ...{ title: "Shop", description: null, folderId: null },
      content: { tabs: [{ id: "tab", title: "Overview", tiles }], filters: noFilters() },
    });
    const item = { kind: "dashboard", id };
    const { url } = await createPublicLink(deps, shop.owner, CreatePublicLink.parse({ item }));
    const address = `${pages.url}${new URL(url).pathname}`;
    const look = async () => {
      const [page, preview] = [await fetch(address), await fetch(`${address}/preview.png`)];
      return { page: await page.text(), preview: Buffer.from(await preview.arrayBuffer()) };
    };
    const { page, preview } = await look();
    expect(page).toContain("/preview.png");
    expect([preview.readUInt32BE(16), preview.readUInt32BE(20)]).toEqual([1200, 630]);
    await deleteItems(deps, shop.owner, { items: [{ kind: "reference", id: charts[1] ?? "" }] });
    const without = await look();
    expect(without.page).not.toContain("/preview.png");
    expect(without.preview.subarray(1, 4).toString()).not.toBe("PNG");
  });

  test("is counted when it is opened", async ({ pages, shop, publish, deps }) => {
    const { id, path } = await publish(shop.owner, shop.bars);
    for (let at = 0; at < 3; at++) await (await fetch(`${pages.url}${path}`)).arrayBuffer();
    await fetch(`${pages.url}${path}`, { method: "HEAD" });
    await pages.flushViews();
    const { links } = await listPublicLinks(deps, shop.owner);
    expect(links.find((link) => link.id === id)).toMatchObject({ views: 3, lastViewAt: expect.any(String) });
  });
});

test("a picture of a message is shown to anybody until it expires, its chart is deleted or public links are turned off", async ({
  pages,
  shop,
  deps,
  clock,
}) => {
  const { organizationId } = shop.owner;
  const { token, tokenHash } = newPageToken();
  const eventId = newId(deps.clock);
  const { queryId } = await deps.db.prisma.queryReference.findUniqueOrThrow({ where: { id: shop.bars } });
  const chart = await createReference(deps, shop.owner, { queryId: queryId ?? "", title: "Told" });
  const [createdAt, soon] = [deps.clock.now(), new Date(deps.clock.now().getTime() + 60_000)];
  await deps.db.prisma.webhookEvent.create({
    data: {
      id: eventId,
      organizationId,
      type: "automation.run.completed",
      body: Buffer.from("{}"),
      createdAt,
    },
  });
  await deps.db.prisma.messagePicture.create({
    data: {
      ...{ eventId, position: 0, organizationId, token, tokenHash, title: "Told", expiresAt: soon },
      ...{ png: Buffer.from("a picture"), referenceIds: [chart.id], rowRightsVersions: [0] },
    },
  });
  const open = (name = token) => fetch(`${pages.url}/p/pictures/${name}.png`);
  const shown = await open();
  expect([shown.status, await shown.text()]).toEqual([200, "a picture"]);
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    "content-type": "image/png",
    "x-robots-tag": "noindex, nofollow, noarchive",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
  });
  expect((await open("A".repeat(32))).status).toBe(404);
  await updateSettings(deps, shop.owner, { publicLinks: false });
  expect((await open()).status).toBe(404);
  await updateSettings(deps, shop.owner, { publicLinks: true });
  expect((await open()).status).toBe(200);
  await clock.advance(60_000);
  expect((await open()).status).toBe(404);
  const later = new Date(soon.getTime() + 60_000);
  await deps.db.prisma.messagePicture.update({ where: { tokenHash }, data: { expiresAt: later } });
  expect((await open()).status).toBe(200);
  await deleteItems(deps, shop.owner, { items: [{ kind: "reference", id: chart.id }] });
  expect((await open()).status).toBe(404);
});

test("other methods are refused, and the process says whether it is ready", async ({ pages }) => {
  expect((await fetch(`${pages.url}/p/x`, { method: "DELETE" })).status).toBe(405);
  expect((await fetch(`${pages.url}/p/x`, { method: "POST" })).status).toBe(404);
  expect((await fetch(`${pages.url}/readyz`)).status).toBe(200);
});
