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
