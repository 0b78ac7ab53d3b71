import { createDashboard, refreshDashboard } from "@querybell/core/dashboards";
import { updateSettings } from "@querybell/core/organizations";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { DashboardContent } from "@querybell/domain";
import { createPublicRole } from "@querybell/prisma";
import { openPageStore } from "@querybell/public/page-store";
import { createPublicServer } from "@querybell/public/server";
import { createLogger } from "@querybell/runtime";
import { expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

const marginConfig = { top: 16, right: 24, bottom: 24, left: 16 };
const charts = [
  ["Revenue", "SELECT 4711 AS total", "number", '<Number dataKey="total" />', { x: 0, w: 4, y: 0, h: 4 }],
  [
    "Sales by day",
    "SELECT * FROM (VALUES ('Mon', 3), ('Tue', 5), ('Wed', 4)) AS t(day, sold)",
    "bar",
    '<BarChart><XAxis dataKey="day" /><YAxis /><Bar dataKey="sold" /></BarChart>',
    { x: 4, w: 8, y: 0, h: 8 },
  ],
  [
    "Orders",
    "SELECT range AS number, range * 1.5 AS amount FROM range(40)",
    "table",
    "",
    { x: 0, w: 12, y: 8, h: 6 },
  ],
] as const;

const test = walkTest
  .extend("shop", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const tiles: object[] = [];
    for (const [title, sql, type, jsxConfig, place] of charts) {
      const { id: queryId } = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
      const visualization = { type, jsxConfig, marginConfig };
      const { id: referenceId } = await createReference(deps, owner, { queryId, title, visualization });
      tiles.push({ kind: "chart", id: title, referenceId, shows: "chart", ...place });
    }
    tiles.push({ kind: "text", id: "about", text: "# All shops\n\nBy *day*.", x: 0, y: 4, w: 4, h: 4 });
    const { id } = await createDashboard(deps, owner, {
      ...{ title: "Shop", description: "What was sold", folderId: null },
      content: DashboardContent.parse({ tabs: [{ id: "tab", title: "Overview", tiles }] }),
    });
    await refreshDashboard(deps, owner, { id });
    return { owner, id };
  })
  .extend("pages", { scope: "file" }, async ({ superuserUrl, onError }, { onCleanup }) => {
    const url = await createPublicRole(superuserUrl, "test");
    const store = openPageStore({ url, poolSize: 2, onError });
    const server = createPublicServer({
      ...{ store, logger: createLogger("public", "silent"), baseUrl: "http://localhost", checkEveryMs: 0 },
    });
    onCleanup(async () => {
      await server.close();
      await store.close();
    });
    return { url: await server.listen(0, "127.0.0.1"), flushViews: server.flushViews };
  });

test("public links are allowed, made with a password, opened by anybody, counted and revoked", async ({
  visit,
  shop,
  pages,
  deps,
  worker: _,
}) => {
  const page = await visit({ as: shop.owner, path: "/settings/public-links" });
  await page.getByText("No public links yet").waitFor();
  await page.getByRole("switch", { name: "Members may make public links" }).click();
  await page.getByText("Members may make public links now.").waitFor();
  while ((await deps.db.prisma.queryRun.count({ where: { status: { in: ["pending", "running"] } } })) > 0)
    await new Promise((done) => setImmediate(done));

  await page.goto(`/dashboards/${shop.id}`);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Public link…" }).click();
  const dialog = page.getByRole("dialog", { name: "Public links to “Shop”" });
  await dialog.getByLabel("Password", { exact: true }).fill("correct horse");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create a public link" }).click();
  const address = await dialog.getByText(/\/p\/[\w-]{32}$/).textContent();
  await dialog.getByRole("button", { name: "I have copied it" }).click();

  const visitor = await visit();
  const url = `${pages.url}${new URL(address ?? "").pathname}`;
  await visitor.goto(url);
  await visitor.getByRole("heading", { name: "This page has a password" }).waitFor();
  await expectAccessible(visitor);
  await visitor.getByLabel("Password").fill("wrong horse");
  await visitor.keyboard.press("Enter");
  await visitor.getByText("This is not the password.").waitFor();
  await visitor.getByLabel("Password").fill("correct horse");
  await visitor.keyboard.press("Enter");
  await visitor.getByRole("heading", { name: "Shop", exact: true }).waitFor();
  await visitor.getByRole("heading", { name: "All shops" }).waitFor();
  await visitor.getByRole("img", { name: /^Sales by day\. / }).waitFor();
  await visitor.getByRole("cell", { name: "58.5" }).waitFor();
  await visitor.waitForLoadState("load");
  const drawn = await visitor.evaluate<number[]>("[...document.images].map((image) => image.naturalWidth)");
  expect(
    drawn.every((width) => width > 0),
    String(drawn),
  ).toBe(true);
  await expectAccessible(visitor);

  await pages.flushViews();
  await page.goto("/settings/public-links");
  await page.getByText("1 view").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Change: Shop" }).click();
  const change = page.getByRole("dialog", { name: "Change the public link" });
  await change.getByRole("combobox", { name: "Expires" }).selectOption("never");
  await change.getByRole("combobox", { name: "Password" }).selectOption("new");
  await expectAccessible(page);
  await change.getByLabel("New password", { exact: true }).fill("another horse");
  await change.getByRole("button", { name: "Change the link" }).click();
  await change.waitFor({ state: "detached" });
  await page.getByText("Does not expire").waitFor();
  await visitor.reload();
  await visitor.getByLabel("Password").fill("another horse");
  await visitor.keyboard.press("Enter");
  await visitor.getByRole("heading", { name: "All shops" }).waitFor();

  await page.getByRole("button", { name: "Revoke: Shop" }).click();
  await page.getByRole("button", { name: "Revoke the link" }).click();
  await page.getByText("No public links yet").waitFor();
  await visitor.reload();
  await visitor.getByRole("heading", { name: "This page is not available" }).waitFor();
});

test("visitors choose among the values that a member publishes", async ({
  visit,
  deps,
  make,
  pages,
  worker: _,
}) => {
  const owner = await make.owner();
  await updateSettings(deps, owner, { publicLinks: true });
  const { id: analyticalDatabaseConfigId } = await make.database(owner);
  const { id: queryId } = await createQuery(deps, owner, {
    ...{ sql: "SELECT 'All of ' || {{region}} AS answer", analyticalDatabaseConfigId },
  });
  const { id } = await createReference(deps, owner, { queryId, title: "Region" });
  const tile = { kind: "chart", id: "1", referenceId: id, shows: "table", x: 0, y: 0, w: 12, h: 6 };
  const region = { name: "region", displayName: "Region", type: "string", description: "" };
  const items = [{ value: "n", label: "North" }, { value: "s", label: "South" }, { value: "e" }];
  const dashboard = await createDashboard(deps, owner, {
    ...{ title: "Regions", description: null, folderId: null },
    content: DashboardContent.parse({
      tabs: [{ id: "tab", title: "Overview", tiles: [tile] }],
      filters: { definitions: [region], choices: { region: { kind: "list", items } } },
    }),
  });
  const page = await visit({ as: owner, path: `/dashboards/${dashboard.id}` });
  const publishing = async () => {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Public link…" }).click();
  };
  await publishing();
  const dialog = page.getByRole("dialog", { name: "Public links to “Regions”" });
  await dialog.getByRole("checkbox", { name: "Region" }).check();
  await dialog.getByRole("button", { name: "Create a public link" }).click();
  await dialog.getByText("Give at least one value of each.").waitFor();
  await dialog.getByRole("combobox", { name: "Published values of Region" }).click();
  await page.getByRole("option", { name: "North" }).click();
  await page.getByRole("option", { name: "South" }).click();
  await page.keyboard.press("Escape");
  await dialog.getByText("2 combinations").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create a public link" }).click();
  const address = await dialog.getByText(/\/p\/[\w-]{32}$/).textContent();
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await publishing();
  await dialog.getByText("Visitors choose region: 2 combinations").waitFor();

  const visitor = await visit();
  await visitor.goto(`${pages.url}${new URL(address ?? "").pathname}`);
  await visitor.getByRole("cell", { name: "All of n", exact: true }).waitFor();
  await visitor.getByRole("combobox", { name: "Region" }).selectOption("South");
  await visitor.getByRole("button", { name: "Apply" }).click();
  await visitor.getByRole("cell", { name: "All of s", exact: true }).waitFor();
  await expectAccessible(visitor);
  await visitor.getByRole("link", { name: "Reset" }).click();
  await visitor.getByRole("cell", { name: "All of n", exact: true }).waitFor();
});
