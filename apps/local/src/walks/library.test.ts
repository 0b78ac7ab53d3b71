import { createFolder } from "@querybell/core/folders";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
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
const folder = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Folders" }).getByRole("link", { name, exact: true });

describe("queries in order", () => {
  test("are sorted, put into folders by drag and by keyboard, deleted with their charts, and brought back", async ({
    visit,
    shop,
  }) => {
    const page = await visit({ as: shop, path: "/queries?sort=name" });
    await page.getByRole("link", { name: "Stock of pears" }).waitFor();
    expect(await titles(page)).toEqual(["Orders by day", "Revenue by month", "Stock of pears"]);
    await page.getByRole("button", { name: "Order: ascending" }).click();
    await page.waitForURL(/reversed=true/);
    await page.getByRole("row").nth(1).getByRole("link", { name: "Stock of pears" }).waitFor();
    await expectAccessible(page);

    // By drag: one that is selected takes the others along.
    await page.getByRole("checkbox", { name: "Select Orders by day" }).check();
    await page.getByRole("checkbox", { name: "Select Revenue by month" }).check();
    await page.getByRole("link", { name: "Orders by day" }).dragTo(folder(page, "Sales"));
    await page.getByText("2 queries are in “Sales” now.").waitFor();
    await folder(page, "Sales").click();
    await page.waitForURL(/folder=/);
    // Not before the list of the folder is read.
    await page.getByText("2 queries in all.").waitFor();
    expect((await titles(page)).toSorted()).toEqual(["Orders by day", "Revenue by month"]);

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
    await move.getByRole("radio", { name: "Daily" }).and(page.locator(":checked")).waitFor();
    await move.getByRole("button", { name: "Move here" }).press("Enter");
    await page.getByText("“Orders by day” is in “Daily” now.").waitFor();
    await page.getByRole("link", { name: "Orders by day" }).waitFor({ state: "detached" });

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
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByText("Archived", { exact: true }).waitFor();
    // An unknown sort is left out.
    await page.goto("/queries?view=archived&search=ripe&sort=nothing");
    await page.getByRole("link", { name: "Stock of pears" }).waitFor();

    // The address of before leads to the charts. A new one begins with its query.
    await page.goto("/references");
    await page.waitForURL(/\/charts$/);
    await page.getByRole("link", { name: "Revenue", exact: true }).waitFor();
    await page.getByRole("button", { name: "New chart" }).click();
    await page
      .getByRole("dialog", { name: "New chart" })
      .getByRole("combobox", { name: "Query" })
      .fill("order");
    await page.getByRole("option", { name: "Orders by day" }).click();
    await page.getByRole("button", { name: "Make the chart" }).click();
    await page.waitForURL(/\/charts\/new\?query=/);

    const phone = await visit({ as: shop, path: "/charts", phone: true });
    await phone.getByRole("button", { name: "Folders and views" }).click();
    await folder(phone, "Sales").waitFor();
    await expectAccessible(phone);
  });
});
