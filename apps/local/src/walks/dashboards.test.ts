import { updateDashboard } from "@querybell/core/dashboards";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { runQuery } from "@querybell/core/runs";
import { noFilters } from "@querybell/domain";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { sizes } from "../testing/pages.ts";
import { heading, holdAnswers } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

const margins = { top: 16, right: 24, bottom: 24, left: 16 };

const test = walkTest.extend("shop", async ({ deps, make }) => {
  const owner = await make.owner();
  const { id: analyticalDatabaseConfigId } = await make.database(owner);
  const charts = {
    Revenue: ["SELECT 4711 AS total", "number", '<Number dataKey="total" />'],
    "Sales by day": [
      "SELECT * FROM (VALUES ('Mon', 3), ('Tue', 5)) AS t(day, sold)",
      "bar",
      '<BarChart><XAxis dataKey="day" /><Bar dataKey="sold" /></BarChart>',
    ],
    "Sold on a day": [
      "SELECT sold FROM (VALUES ('Mon', 3), ('Tue', 5)) AS t(day, sold) WHERE day = {{day}}",
      "number",
      '<Number dataKey="sold" />',
    ],
  } as const;
  for (const [title, [sql, type, jsxConfig]] of Object.entries(charts)) {
    const { id: queryId } = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
    await createReference(deps, owner, {
      queryId,
      title,
      visualization: { type, jsxConfig, marginConfig: margins },
    });
    if (!sql.includes("{{")) await runQuery(deps, owner, { id: queryId, parameterValues: {} });
  }
  return owner;
});

const tile = (page: Page, name: string) => page.getByRole("region", { name });

async function chooseChart(page: Page, title: string): Promise<void> {
  await page.getByRole("button", { name: "Add a chart" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a chart" });
  await dialog.getByRole("combobox", { name: "Chart" }).fill(title);
  await page.getByRole("option", { name: title }).click();
  await dialog.getByRole("button", { name: "Add the chart" }).click();
  await dialog.waitFor({ state: "detached" });
}

async function addChart(page: Page, title: string): Promise<void> {
  await chooseChart(page, title);
  await tile(page, title).waitFor();
}

const saved = (page: Page) => page.getByText("All changes are saved.").waitFor();

describe("a dashboard", () => {
  test("is made, arranged with the keyboard and the pointer, undone, shared with others, and read on a phone", async ({
    visit,
    shop,
    deps,
    worker: _,
  }) => {
    const page = await visit({ as: shop, path: "/dashboards" });
    await page.getByRole("button", { name: "Make the first dashboard" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Title" }).fill("Shops");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/dashboards\/[\w-]+\?edit=true/);
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await page.getByRole("button", { name: "Add a chart" }).waitFor();
    // What a save reads before a rename, and gets after it, does not bring the earlier title back.
    const reading = await holdAnswers(page, "dashboards.get");
    await chooseChart(page, "Sales by day");
    await reading.read;
    await page.getByRole("button", { name: "Edit the title" }).click();
    await page.getByRole("textbox", { name: "The title" }).fill("Shop");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
    await reading.release();
    await tile(page, "Sales by day").getByRole("application").waitFor();
    await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
    await addChart(page, "Revenue");
    await page.getByRole("button", { name: "Add a text" }).click();
    await page.getByRole("textbox", { name: "Text" }).fill("# All shops\n\n<b>not bold</b>");
    await page.getByRole("button", { name: "Add the text" }).click();
    await page.getByRole("heading", { name: "All shops" }).waitFor();
    await page.getByText("<b>not bold</b>").waitFor();
    await saved(page);

    // With the keyboard: the text moves above the charts, and the number becomes wider.
    const place = async (name: string) =>
      (await page.getByRole("region", { name, exact: true }).boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.getByRole("button", { name: "Move Text" }).press("ArrowUp");
    await page.getByText("Column 1, row 1, 12 wide, 2 high.").waitFor();
    expect((await place("Text")).y).toBeLessThan((await place("Sales by day")).y);
    const { width } = await place("Revenue");
    await page.getByRole("button", { name: "Move Revenue" }).press("Shift+ArrowRight");
    expect((await place("Revenue")).width).toBeGreaterThan(width);
    await page.keyboard.press("Control+z");
    expect((await place("Revenue")).width).toBe(width);

    // With the pointer: the number goes to the right edge.
    const handle = (await page.getByRole("button", { name: "Move Revenue" }).boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(handle.x + 5, handle.y + 5);
    await page.mouse.down();
    await page.mouse.move(handle.x + 600, handle.y + 5, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Add a tab" }).click();
    await page.getByRole("button", { name: "Tab 2", exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Undo" }).click();
    await saved(page);

    // Somebody else changes it meanwhile: nothing is overwritten.
    const others = { tabs: [{ id: "theirs", title: "Theirs", tiles: [] }], filters: noFilters() };
    await updateDashboard(deps, shop, { id, content: others });
    await page.getByRole("button", { name: "Add a tab" }).click();
    const conflict = page.getByRole("dialog", { name: "The dashboard was changed meanwhile" });
    await conflict.getByRole("button", { name: "Keep mine" }).click();
    await conflict.waitFor({ state: "detached" });
    await saved(page);
    await page.getByRole("button", { name: "Done" }).click();

    await heading(page, "Shop");
    const tabs = page.getByRole("navigation", { name: "Tabs of the dashboard" });
    await tabs.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("region", { name: "Revenue" }).getByText("4,711").first().waitFor();
    // Until then each tile shows its own moment.
    await page.getByText("Not refreshed yet.").waitFor();
    await page
      .getByText(/not with the others/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Refresh" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /^As of .*:\d\d/ })
      .waitFor();
    await page.getByText(/not with the others/).waitFor({ state: "detached" });
    await expectAccessible(page);

    // Title and moment are there before the app has loaded, where it draws them.
    const shownLines = () =>
      Promise.all(
        [page.getByRole("heading", { name: "Shop", exact: true }), page.getByText(/^As of .*:\d\d/)].map(
          async (line) => [await line.textContent(), (await line.boundingBox())?.y],
        ),
      );
    const drawn = await shownLines();
    const app = Promise.withResolvers<void>();
    await page.route("**/assets/libraries-*.js", async (route) => {
      await app.promise;
      await route.continue();
    });
    await page.reload({ waitUntil: "commit" });
    expect(await shownLines()).toEqual(drawn);
    app.resolve();
    await page.getByRole("button", { name: "Refresh" }).waitFor();
    await page.unroute("**/assets/libraries-*.js");

    // A filter for the placeholder of a chart: by its name, and by a click on a bar of another.
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await addChart(page, "Sold on a day");
    await saved(page);
    await page.getByRole("button", { name: "Filters" }).click();
    const filters = page.getByRole("dialog", { name: "Filters" });
    await filters.getByRole("combobox", { name: "Add a filter" }).click();
    await page.getByRole("option", { name: "{{day}} in 1 chart" }).click();
    await filters.getByRole("textbox", { name: "Default" }).fill("Mon");
    await expectAccessible(page);
    await filters.getByRole("button", { name: "Use these filters" }).click();
    await page.getByRole("button", { name: "Change Sales by day" }).click();
    await page.getByRole("menuitem", { name: "What a click does" }).click();
    await page.getByRole("combobox", { name: /^A click on a bar/ }).click();
    await page.getByRole("option", { name: "Filter the other charts by day" }).click();
    await page.getByRole("button", { name: "Use it" }).click();
    await saved(page);
    await page.getByRole("button", { name: "Done" }).click();
    const sold = page.getByRole("region", { name: "Sold on a day" });
    await sold.getByText("It was not refreshed yet.").waitFor();
    await page.getByRole("region", { name: "Sales by day" }).getByRole("application").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.waitForURL(/p\.day=Tue/);
    await sold.getByText("5", { exact: true }).first().waitFor();
    await page
      .getByRole("status")
      .filter({ hasText: /^As of .*with these values\.$/ })
      .waitFor();
    await expectAccessible(page);
    const filter = page.getByRole("region", { name: "Filters" });
    await filter.getByRole("textbox", { name: "day" }).fill("Mon");
    await page.keyboard.press("Enter");
    // Nothing is stored for this value either, so it is refreshed at once.
    await sold.getByText("3", { exact: true }).first().waitFor();
    await filter.getByRole("button", { name: "Reset" }).click();
    await page.waitForURL((url) => !url.search.includes("p.day"));

    // It refreshes by itself: by a schedule, and when it is opened.
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Refresh by itself" }).click();
    const byItself = page.getByRole("dialog", { name: "Refresh by itself" });
    await byItself.getByRole("combobox", { name: "How often" }).selectOption("hourly");
    await byItself.getByText("The next times").waitFor();
    await byItself.getByRole("combobox", { name: "When somebody opens it" }).selectOption("300");
    await expectAccessible(page);
    await byItself.getByRole("button", { name: "Save" }).click();
    await byItself.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText(/^Next refresh: /).waitFor();
    await deps.db.pool.query(
      "UPDATE dashboard_refreshes SET created_at = created_at - interval '1 hour' WHERE dashboard_id = $1",
      [id],
    );
    const refreshed = page.waitForResponse((response) => response.url().includes("dashboards.refresh"));
    await page.reload();
    expect((await refreshed).status()).toBe(200);
    await page.getByRole("button", { name: "More", exact: true }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Download a picture" }).click();
    expect((await download).suggestedFilename()).toMatch(/^Shop .*\.png$/);

    // An automation looks at it.
    await page.goto("/automations/new");
    await page.getByRole("textbox", { name: "Name" }).fill("Watch the shop");
    await page.getByRole("textbox", { name: "Instruction" }).fill("Say what has changed.");
    await page.getByRole("combobox", { name: "A dashboard" }).fill("Shop");
    await page.getByRole("option", { name: "Shop" }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Make the automation" }).click();
    await page.getByText("Shop, a dashboard").waitFor();
    await page.goto(`/dashboards/${id}`);

    // On a screen on the wall: without header and sidebar, and it follows what others change.
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Show on a screen" }).click();
    const onScreen = page.getByRole("dialog", { name: "Show on a screen" });
    await onScreen.getByRole("combobox", { name: "Next tab" }).click();
    await page.getByRole("option", { name: "Stay on the first tab" }).click();
    await onScreen.getByRole("button", { name: "Show it" }).click();
    await page.waitForURL(/\/kiosk$/);
    await page.getByRole("link", { name: "Close" }).waitFor();
    await page.getByRole("banner").waitFor({ state: "detached" });
    // The size of a window on the whole screen cannot be changed.
    await page.evaluate("document.exitFullscreen()");
    await page.getByRole("region", { name: "Revenue" }).getByText("4,711").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Close" }).click();
    await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
    await page.getByRole("region", { name: "Sales by day" }).waitFor();

    await page.setViewportSize(sizes.phone);
    // Measured at once: the page moves while it becomes narrower.
    const [text, bars] = await page
      .locator('section:is([aria-label="Text"], [aria-label="Sales by day"])')
      .evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().toJSON()));
    expect([text?.x, text?.width]).toEqual([bars?.x, bars?.width]);
    await expectAccessible(page);
  });
});
