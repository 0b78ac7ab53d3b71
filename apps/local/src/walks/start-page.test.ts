import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

const navigation = (page: Page) => page.getByRole("navigation", { name: "Main" });

describe("a new organization", () => {
  walkTest(
    "has its frame at every address, and a start page that the sample shop fills and empties",
    async ({ visit, make, worker: _ }) => {
      const owner = await make.owner();
      const page = await visit({ as: owner, path: "/" });
      await page.getByRole("button", { name: "Add the sample shop" }).click();
      await page.getByRole("button", { name: "Add the sample shop" }).waitFor({ state: "detached" });

      // The frame, while the shop is made.
      await page.goto("/nowhere/at/all");
      await heading(page, "There is nothing here");
      await navigation(page).getByRole("link", { name: "Queries" }).waitFor();
      await page.keyboard.press("?");
      const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await shortcuts.getByText("Search or run a command").waitFor();
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await shortcuts.waitFor({ state: "detached" });

      await page.getByRole("button", { name: `Your menu, ${owner.name}` }).click();
      await page.getByRole("menuitem", { name: "Your account" }).click();
      const name = page.getByLabel("Name", { exact: true });
      // In a field, the key is a letter.
      await name.fill("Ada");
      await name.press("?");
      const offline = page.getByText("You are offline", { exact: true });
      await page.context().setOffline(true);
      await offline.waitFor();
      await page.getByRole("button", { name: "Save" }).first().click();
      await page.getByRole("alert").filter({ hasText: "You are offline. Nothing was sent" }).waitFor();
      await expectAccessible(page);
      await page.context().setOffline(false);
      await offline.waitFor({ state: "detached" });
      expect(await name.inputValue()).toBe("Ada?");
      expect(await shortcuts.count()).toBe(0);

      // A page that this window has not loaded yet waits for the connection.
      await page.context().setOffline(true);
      await offline.waitFor();
      await navigation(page).getByRole("link", { name: "Your data" }).click();
      await page
        .getByText("You are offline. The page loads by itself when the connection is back.")
        .waitFor();
      await page.context().setOffline(false);
      await heading(page, "Your data");
      await page.goto("/settings/webhooks");
      await page.getByText("Only the operator of this Querybell").waitFor();

      await navigation(page).getByRole("link", { name: "Home" }).click();
      await page.getByRole("link", { name: "Revenue by month" }).waitFor();
      expect(await page.getByRole("heading", { name: "Nothing to try yet?" }).count()).toBe(0);
      await page.getByRole("button", { name: "Dismiss" }).click();
      await page.getByText("The first steps are hidden.").waitFor();
      expect(await page.getByRole("heading", { name: "First steps" }).count()).toBe(0);

      await page.getByRole("link", { name: "Automations" }).click();
      await page.getByRole("link", { name: "The shop this morning" }).first().click();
      await heading(page, "The shop this morning");
      const recorded = page.waitForResponse(/home\.recordOpened/);
      await page.getByText("Its schedule stays paused.").first().waitFor();
      await page.getByRole("button", { name: "Run now" }).click();
      await page.getByText("has started. Its schedule stays paused.").waitFor();
      await recorded;

      await page.getByRole("link", { name: "Home" }).click();
      const recent = page.getByRole("region", { name: "Recent" });
      await recent.getByRole("link", { name: "The shop this morning" }).waitFor();
      await page.getByRole("button", { name: `Your menu, ${owner.name}` }).click();
      await page.getByRole("menuitemradio", { name: "Dark" }).waitFor();
      await page.getByRole("menuitem", { name: "Show first steps" }).click();
      await heading(page, "First steps");

      await page.goto("/settings/organization");
      await page.getByRole("button", { name: "Remove the sample shop" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
      await page.getByRole("button", { name: "Add the sample shop" }).waitFor();
      await page.goto("/settings/databases");
      await heading(page, "No databases yet");
      expect(await page.getByText("Sample shop").count()).toBe(0);
    },
  );
});
