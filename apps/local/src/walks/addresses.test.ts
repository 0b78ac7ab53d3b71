import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

describe("addresses", () => {
  walkTest("open the docs, each by its own", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("navigation").getByRole("link", { name: "Docs" }).click();
    await heading(page, "Docs");
    await expectAccessible(page);
    const links = await page.getByRole("article").getByRole("link").all();
    for (const address of await Promise.all(links.map((one) => one.getAttribute("href")))) {
      await page.goto(address ?? "");
      expect(await page.locator("article h1").count(), address ?? "").toBe(1);
    }
  });

  walkTest("fit a narrow phone without scrolling sideways", async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 640 });
    for (const address of [
      "/",
      "/forgot-password",
      "/invitation",
      "/reset-password#token",
      "/nowhere",
      "/docs/",
    ]) {
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth"), address).toBe(360);
    }
  });

  walkTest("where nothing is lead back", async ({ page }) => {
    const answer = await page.goto("/nowhere");
    expect(answer?.status()).toBe(404);
    expect(answer?.headers()["content-type"]).toContain("text/html");
    await heading(page, "There is nothing here");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await heading(page, "Sign in");
  });
});
