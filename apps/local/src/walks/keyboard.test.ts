import { testPassword } from "@querybell/core/testing";
import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

/** Presses a key until the control has the focus. */
async function pressUntilFocused(page: Page, key: string, control: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press(key);
    if (await control.evaluate((element) => element === element.ownerDocument.activeElement)) return;
  }
  throw new Error(`The keyboard never reached ${control}.`);
}

const press = async (page: Page, key: string, control: Locator): Promise<void> => {
  await pressUntilFocused(page, "Tab", control);
  await page.keyboard.press(key);
};

describe("the keyboard alone", () => {
  walkTest(
    "goes from the first sign-in to a first chart, whose link opens for another member",
    async ({ page, visit, make, worker: _ }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      await make.database(owner);
      await page.goto("/");
      await heading(page, "Sign in");
      await pressUntilFocused(page, "Tab", page.getByLabel("Email address"));
      await page.keyboard.type(owner.email);
      await pressUntilFocused(page, "Tab", page.getByLabel("Password", { exact: true }));
      await page.keyboard.type(testPassword);
      await page.keyboard.press("Enter");
      await heading(page, "First steps");
      await press(page, "Enter", page.getByRole("link", { name: "Write a query" }));

      await page.getByText("fruits", { exact: true }).first().waitFor();
      await page.getByRole("textbox", { name: "SQL" }).and(page.locator(":focus")).waitFor();
      await page.keyboard.type("SELECT name, weight FROM fruits");
      // The word is written whole: Enter starts a line instead of taking the suggestion.
      await page.getByRole("option", { name: "fruits" }).waitFor();
      await page.keyboard.press("Enter");
      await page.keyboard.type("ORDER BY weight");
      await page.keyboard.press("Control+Enter");
      await page.getByRole("gridcell", { name: "pear" }).waitFor();
      await page.keyboard.press("Control+s");
      await page.getByRole("dialog", { name: "Save the query" }).waitFor();
      await page.locator("[role='dialog'] input:focus").waitFor();
      await page.keyboard.type("Fruit");
      await page.keyboard.press("Enter");
      await heading(page, "Fruit");
      await press(page, "Enter", page.getByRole("button", { name: "Edit the name" }));
      await page.keyboard.press("Control+a");
      await page.keyboard.type("Fruits by weight");
      await page.keyboard.press("Enter");
      await heading(page, "Fruits by weight");
      // After editing in place, the focus is still there.
      await page.locator("button[aria-label='Edit the name']:focus").waitFor();

      await pressUntilFocused(page, "Tab", page.getByRole("tab", { name: "Result" }));
      await pressUntilFocused(page, "ArrowRight", page.getByRole("tab", { name: "Charts" }));
      await press(page, "Enter", page.getByRole("button", { name: "New chart" }));
      await page.getByRole("region", { name: "Preview" }).getByText("apple").first().waitFor();
      await press(page, "Enter", page.getByRole("button", { name: "Save", exact: true }));
      await page.getByRole("group", { name: "Chart: Fruits by weight" }).waitFor();
      await press(page, "Enter", page.getByRole("button", { name: "Copy the link" }));

      const link = await page.evaluate<string>("navigator.clipboard.readText()");
      const phone = await visit({ as: member, path: link, phone: true });
      await phone.getByRole("group", { name: "Chart: Fruits by weight" }).waitFor();
    },
  );

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
    // After navigation, the focus is at the start of the page.
    expect(await page.locator("main:focus").count()).toBe(1);
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Search or run a command" }).waitFor();
    await page.keyboard.type("inbox");
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

  walkTest(
    "confirms words of an input method with Enter, which does nothing else then",
    async ({ visit, make, deps, worker: _ }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT {{city}} AS city");
      const page = await visit({ as: owner, path: `/queries/${id}` });
      const input = await page.context().newCDPSession(page);
      /** Types a word as an input method does, up to the Enter that confirms it. */
      const compose = async (field: Locator, word: string) => {
        await field.focus();
        await input.send("Input.imeSetComposition", { text: word, selectionStart: 0, selectionEnd: 0 });
        const enter = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 };
        await input.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...enter });
        await input.send("Input.insertText", { text: word });
        await input.send("Input.dispatchKeyEvent", { type: "keyUp", ...enter });
        await expect.poll(() => field.inputValue()).toBe(word);
      };

      const value = page.getByLabel("city", { exact: true });
      await compose(value, "東京");
      await page.keyboard.press("End");
      await page.keyboard.type("都");
      await page.keyboard.press("Enter");
      await page.getByRole("gridcell", { name: "東京都" }).waitFor();
      expect(await deps.db.prisma.queryRun.count({ where: { queryId: id } })).toBe(1);

      await page.getByRole("button", { name: "Define" }).click();
      await page.getByRole("combobox", { name: "Choices" }).click();
      await page.getByRole("option", { name: "A fixed list" }).click();
      await compose(page.getByLabel("Value of choice 1"), "東京");
      expect(await page.getByLabel(/^Value of choice/).count()).toBe(1);
      await page.keyboard.press("Enter");
      await page.getByLabel("Value of choice 2").and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Escape");

      await page.getByRole("button", { name: "Edit the name" }).click();
      const name = page.getByRole("textbox", { name: "The name" });
      await name.fill("");
      await compose(name, "都市");
      await name.press("Enter");
      await heading(page, "都市");
    },
  );
});
