import { createFolder } from "@querybell/core/folders";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { sizes } from "../testing/pages.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

const test = walkTest.extend("shop", async ({ deps, make }) => {
  const owner = await make.owner();
  const { id: analyticalDatabaseConfigId } = await make.database(owner);
  const names = ["Orders by day", "Revenue by month", "Stock of pears"];
  for (const name of names) {
    const content = { sql: `SELECT '${name}' AS name`, analyticalDatabaseConfigId, name };
    const { id } = await createQuery(deps, owner, content);
    if (name === "Revenue by month") await createReference(deps, owner, { queryId: id, title: "Revenue" });
  }
  await createFolder(deps, owner, { name: "Sales", parentId: null });
  return owner;
});

const titles = (page: Page) =>
  page.getByRole("table", { name: "Queries" }).getByRole("link").allTextContents();
const folders = (page: Page) => page.getByRole("navigation", { name: "Folders" });
const folder = (page: Page, name: string) => folders(page).getByRole("link", { name, exact: true });

describe("queries in order", () => {
  test("are sorted, put into folders by drag and by keyboard, deleted with their charts, and brought back", async ({
    visit,
    shop,
    deps,
  }) => {
    await createFolder(deps, shop, { name: "Europe", parentId: null });
    const page = await visit({ as: shop, path: "/queries?sort=name" });
    await page.getByRole("link", { name: "Stock of pears" }).waitFor();
    expect(await titles(page)).toEqual(["Orders by day", "Revenue by month", "Stock of pears"]);
    await page.getByRole("button", { name: "Order: ascending" }).click();
    await page.waitForURL(/reversed=true/);
    await page.getByRole("row").nth(1).getByRole("link", { name: "Stock of pears" }).waitFor();

    // A folder that is dropped on another one can be moved back.
    await folder(page, "Europe").dragTo(folder(page, "Sales"));
    await page.getByText("The folder “Europe” is in “Sales” now.").waitFor();
    await folder(page, "Europe").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("The folder “Europe” is back in place.").waitFor();
    await folder(page, "Europe").waitFor();

    // By drag: one that is selected takes the others along.
    await page.getByRole("checkbox", { name: "Select Orders by day" }).check();
    await page.getByRole("checkbox", { name: "Select Revenue by month" }).check();
    await page.getByRole("link", { name: "Orders by day" }).dragTo(folder(page, "Sales"));
    await page.getByText("2 queries are in “Sales” now.").waitFor();
    await folder(page, "Sales").click();
    // The order stays.
    await page.waitForURL(/sort=name&reversed=true&folder=/);
    // Not before the list of the folder is read.
    await page.getByText("2 queries in all.").waitFor();
    expect(await titles(page)).toEqual(["Revenue by month", "Orders by day"]);
    expect(await folders(page).locator("[aria-current]").allTextContents()).toEqual(["Sales"]);

    // By keyboard: a new folder is made in the dialog.
    await page.getByRole("button", { name: "More: Orders by day" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Move to…" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("menuitem", { name: "Move to…" }).press("Enter");
    const move = page.getByRole("dialog", { name: "Move “Orders by day”" });
    await move.getByRole("textbox", { name: "Find a folder" }).waitFor();
    await expectAccessible(page);
    await move.getByRole("button", { name: "New folder" }).press("Enter");
    await page.keyboard.type("Daily");
    await page.keyboard.press("Enter");
    // It is in the chosen folder, and the list shows that.
    const daily = move.getByRole("radio", { name: "Sales / Daily" });
    await daily.and(page.locator(":checked")).waitFor();
    const leftOf = async (one: Locator) => (await one.boundingBox())?.x ?? 0;
    expect(await leftOf(daily)).toBeGreaterThan(
      await leftOf(move.getByRole("radio", { name: "Sales" }).first()),
    );
    await move.getByRole("button", { name: "Move here" }).press("Enter");
    await page.getByText("“Orders by day” is in “Daily” now.").waitFor();
    await page.getByRole("link", { name: "Orders by day" }).waitFor({ state: "detached" });
    // It is not in the list any more: the keyboard goes on at the start of the page.
    await page.locator("#page:focus").waitFor();

    // The dialog names the chart; Ctrl-Z brings both back.
    await page.getByRole("button", { name: "More: Revenue by month" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const remove = page.getByRole("dialog", { name: "Delete “Revenue by month”?" });
    await remove.getByText("1 chart goes too, and its link ends for everybody: Revenue.").waitFor();
    await expectAccessible(page);
    await remove.getByRole("button", { name: "Delete the query" }).click();
    await page.getByText("“Revenue by month” is deleted.").waitFor();
    await page.getByText("No queries in this folder.").waitFor();
    await page.keyboard.press("Control+z");
    await page.getByText("“Revenue by month” is back.").waitFor();
    await page.getByRole("link", { name: "Revenue by month" }).waitFor();

    // A folder is deleted without undo: the shortcut does not undo what was done before it.
    const undone: string[] = [];
    page.on("request", (request) => request.url().includes("undoDelete") && undone.push(request.url()));
    await page.getByRole("button", { name: "More: Revenue by month" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await remove.getByRole("button", { name: "Delete the query" }).click();
    await page.getByText("No queries in this folder.").waitFor();
    await page.getByRole("button", { name: "More: folder Sales" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the folder" }).click();
    await folder(page, "Sales").waitFor({ state: "detached" });
    await page.locator("#page:focus").waitFor();
    await page.keyboard.press("Control+z");
    // After a reload the deletion of the query can still be undone.
    await page.reload();
    await page.getByText("“Revenue by month” is deleted.").waitFor();
    expect(undone).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("“Revenue by month” is back.").waitFor();
    await page.getByRole("link", { name: "Revenue by month" }).waitFor();
  });

  test("are favourites of one person, and their archive is a view; charts have their own page", async ({
    visit,
    shop,
  }) => {
    const page = await visit({ as: shop, path: "/queries" });
    await page.getByRole("button", { name: "Favourite: Stock of pears" }).click();
    await folder(page, "Favourites").click();
    await page.waitForURL(/view=favourites/);
    await page.getByRole("link", { name: "Orders by day" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Stock of pears" }).click();
    await heading(page, "Stock of pears");
    await page.getByRole("button", { name: "Edit the description" }).click();
    await page.getByRole("textbox", { name: "The description" }).fill("Only those that are ripe");
    await page.getByRole("button", { name: "Save the description" }).click();
    await page.getByText("Only those that are ripe").waitFor();
    // After a move the focus is back at the menu, and the page names the folder.
    const more = page.getByRole("button", { name: "More", exact: true });
    await more.click();
    await page.getByRole("menuitem", { name: "Move to…" }).click();
    await page.getByRole("radio", { name: "Sales" }).check();
    await page.getByRole("button", { name: "Move here" }).click();
    await more.and(page.locator(":focus")).waitFor();
    const inFolder = page.getByRole("link", { name: "Folder: Sales" });
    expect(await inFolder.getAttribute("href")).toMatch(/^\/queries\?folder=/);
    await inFolder.waitFor();
    await more.click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByText("Archived", { exact: true }).waitFor();
    // What the address has and is not known is left out, and a folder that is not there has a way back.
    await page.goto("/queries?view=archived&search=ripe&sort=nothing&database=zzz");
    await page.getByRole("link", { name: "Stock of pears" }).waitFor();
    await page.getByText("The database in the address does not exist.").waitFor();
    await page.goto("/queries?folder=zzz");
    await page.getByText("This folder does not exist (any more).").waitFor();
    await page.getByRole("link", { name: "Show all queries" }).click();
    await page.getByRole("link", { name: "Orders by day" }).waitFor();

    // The address of before leads to the charts. A new one begins with its query.
    await page.goto("/references");
    await page.waitForURL(/\/charts$/);
    await page.getByRole("link", { name: "Revenue", exact: true }).waitFor();
    await page.setViewportSize(sizes.phone);
    await page.getByRole("button", { name: "Folders and views" }).click();
    await folder(page, "Sales").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "New chart" }).click();
    await page
      .getByRole("dialog", { name: "New chart" })
      .getByRole("combobox", { name: "Query" })
      .fill("order");
    await page.getByRole("option", { name: "Orders by day" }).click();
    await page.getByRole("button", { name: "Make the chart" }).click();
    await page.waitForURL(/\/charts\/new\?query=/);
  });
});
