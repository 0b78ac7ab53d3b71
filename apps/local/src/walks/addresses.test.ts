import { triggerAutomation } from "@querybell/core/automations";
import { deleteReference } from "@querybell/core/references";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { openPage } from "../testing/pages.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

describe("addresses", () => {
  walkTest("open the docs, each page at its own address", async ({ page }) => {
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

  walkTest("fit the screen also if a name is one long word", async ({ visit, make, deps }) => {
    const { prisma } = deps.db;
    const name = "Donaudampfschifffahrts".repeat(4);
    const owner = await make.owner();
    const { organizationId } = owner;
    const { shortId, currentQuery } = await make.reference(owner, "SELECT 1", { title: name });
    const automation = await make.automation(owner, { name, references: [{ shortId }] });
    const chat = await triggerAutomation(deps, owner, automation);
    await prisma.query.updateMany({ where: { organizationId }, data: { name } });
    await prisma.analyticalDatabaseConfig.updateMany({ where: { organizationId }, data: { name } });
    await prisma.organization.update({ where: { id: organizationId }, data: { name } });
    await prisma.user.update({ where: { id: owner.userId }, data: { name } });
    const tooWide: string[] = [];
    const measure = async (page: Page, paths: readonly string[]) => {
      for (const path of paths) {
        await openPage(page, path);
        // The page itself, and elements whose text would cover their neighbours.
        const found = await page.evaluate(
          `[document.documentElement, ...document.querySelectorAll("h1, .mantine-Paper-root, td")]
            .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
            .map((one) => one.localName)`,
        );
        if (String(found) !== "") tooWide.push(`${path}: ${String(found)}`);
      }
    };
    await measure(await visit({ as: owner }), ["/charts", `/q/${shortId}`]);
    await measure(await visit({ as: owner, phone: true }), [
      "/",
      "/charts",
      `/q/${shortId}`,
      "/automations",
      `/automations/${automation.id}`,
      `/queries/${currentQuery?.id}`,
      `/automations/${automation.id}/edit`,
      new URL(chat.chatUrl).pathname,
      "/settings/members",
    ]);
    expect(tooWide).toEqual([]);
  });

  walkTest("of no page show a way back", async ({ page }) => {
    const answer = await page.goto("/nowhere");
    expect(answer?.status()).toBe(404);
    expect(answer?.headers()["content-type"]).toContain("text/html");
    await heading(page, "There is nothing here");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await heading(page, "Sign in");
  });

  walkTest("that do not exist answer 404, and only those", async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const page = await visit({ as: owner });
    const statusOf = async (path: string) => (await page.goto(path))?.status();
    const [kept, gone] = [await make.reference(owner, "SELECT 1"), await make.reference(owner, "SELECT 2")];
    await deleteReference(deps, owner, gone);
    const other = await make.reference(await make.owner(), "SELECT 3");

    expect(await statusOf(`/q/${kept.shortId}`)).toBe(200);
    for (const shortId of ["nothinghere", gone.shortId, other.shortId]) {
      expect([shortId, await statusOf(`/q/${shortId}`)]).toEqual([shortId, 404]);
      expect([shortId, await statusOf(`/q/${shortId}/edit`)]).toEqual([shortId, 404]);
      await heading(page, "There is nothing here");
    }
    for (const path of [
      "/nowhere",
      "/settings/nowhere",
      "/queries/no-id",
      `/queries/${crypto.randomUUID()}`,
      `/queries/${other.currentQuery?.id}`,
      `/automations/${crypto.randomUUID()}`,
      "/automations/no-id/edit",
      "/chats/nothinghere",
      `/settings/databases/${crypto.randomUUID()}`,
      "/settings/databases/no-id",
      "/queries/a/b",
      "/q",
      "/docs/nowhere",
      "/assets/no.js",
    ]) {
      expect([path, await statusOf(path)]).toEqual([path, 404]);
      await heading(page, "There is nothing here");
    }
    for (const path of [
      "/",
      "/queries",
      "/queries/new",
      "/automations/new",
      "/settings/databases/new",
      "/settings/keys",
      "/docs/",
      "/docs/webhooks",
    ]) {
      // What these show is seen by other walks.
      expect([path, (await page.request.get(path)).status()]).toEqual([path, 200]);
    }
  });

  walkTest("of a permalink reveal nothing before sign-in", async ({ page, make }) => {
    const { shortId } = await make.reference(await make.owner(), "SELECT 1");
    for (const one of [shortId, "nothinghere"]) {
      expect((await page.goto(`/q/${one}`))?.status()).toBe(404);
      await heading(page, "Sign in");
    }
  });

  walkTest(
    "of a permalink of another organization offer its members to switch to it",
    async ({ visit, make, deps }) => {
      const owner = await make.owner();
      const reference = await make.reference(owner, "SELECT 1", { title: "Weights of pears" });
      const other = await make.owner();
      const page = await visit({ as: other });
      const { organizationId } = owner;
      await deps.db.prisma.member.create({
        data: { organizationId, userId: other.userId, role: "member", createdAt: deps.clock.now() },
      });
      expect((await page.goto(`/q/${reference.shortId}`))?.status()).toBe(200);
      await page.getByRole("button", { name: "Switch to" }).click();
      await heading(page, "Weights of pears");
    },
  );
});
