import { testPassword } from "@querybell/testkit";
import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

/** Presses a key until the control has the focus, as somebody without a mouse does. */
async function pressUntilFocused(page: Page, key: string, control: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press(key);
    if (await control.evaluate((element) => element === element.ownerDocument.activeElement)) return;
  }
  throw new Error(`The keyboard never reached ${control}.`);
}

describe("the keyboard alone", () => {
  walkTest("signs in, opens the menu, and finds a page through the palette", async ({ page, make }) => {
    const owner = await make.owner();
    await page.goto("/");
    await heading(page, "Sign in");
    await pressUntilFocused(page, "Tab", page.getByRole("link", { name: "Skip to content" }));
    await pressUntilFocused(page, "Tab", page.getByLabel("Email address"));
    await page.keyboard.type(owner.email);
    await pressUntilFocused(page, "Tab", page.getByLabel("Password", { exact: true }));
    await page.keyboard.type(testPassword);
    await page.keyboard.press("Enter");
    await heading(page, `Hello, ${owner.name}`);
    // A page that replaced another has the focus at its beginning: nothing before it comes first.
    expect(await page.locator("main:focus").count()).toBe(1);
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Search or run a command" }).waitFor();
    await page.keyboard.type("notif");
    await page.getByRole("button", { name: "Notifications" }).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await heading(page, "Notifications");
    await pressUntilFocused(page, "Shift+Tab", page.getByRole("button", { name: "Your menu" }));
    await page.keyboard.press("Enter");
    await pressUntilFocused(page, "ArrowDown", page.getByRole("menuitem", { name: "Your account" }));
    await page.keyboard.press("Enter");
    await heading(page, "Your account");
  });
});
