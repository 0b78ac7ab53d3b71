import { testPassword } from "@querybell/core/testing";
import type { Locator, Page } from "playwright-core";

/** Fills in the sign-in form of the page. */
export async function signIn(page: Page, email: string, password = testPassword): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export async function signOut(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: `Your menu, ${name}` }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}

/** Waits until the page with this heading is shown. */
export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole("heading", { name }).waitFor();

/** Waits for an element and returns its text. */
export const textOf = async (element: Locator): Promise<string> => (await element.textContent()) ?? "";

/** Saves the new query of the page with the keyboard, with its suggested name or this one, and waits for its page. */
export async function saveNewQuery(page: Page, name?: string): Promise<void> {
  await page.keyboard.press("Control+s");
  const field = page.getByRole("dialog", { name: "Save the query" }).getByRole("textbox", { name: "Name" });
  await field.waitFor();
  if (name !== undefined) await field.fill(name);
  const saved = await field.inputValue();
  await field.press("Enter");
  await page.waitForURL(/\/queries\/[0-9a-f-]{36}(?:\?|$)/);
  await heading(page, saved);
}

/** From now on, a procedure's answers are read at once, but arrive only after `release`, unless given up meanwhile. */
export async function holdAnswers(page: Page, procedure: string) {
  const pattern = new RegExp(`\\b${procedure}[?,]`);
  const read = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    const response = await route.fetch();
    read.resolve();
    await released.promise;
    await route.fulfill({ response }).catch(() => {});
  });
  return {
    read: read.promise,
    /** Resolves once an answer has arrived. */
    async release() {
      const answered = page.waitForResponse(pattern);
      released.resolve();
      await answered;
    },
  };
}
