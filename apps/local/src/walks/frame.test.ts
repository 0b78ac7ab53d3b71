import { cancelRun, executeRun, runQuery } from "@querybell/core/runs";
import { claimOneQueryRun } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { createNotification } from "../testing/create-notification.ts";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, signOut, textOf } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

describe("the start page", () => {
  walkTest(
    "offers a new organization its first steps, ticked off as they are done",
    async ({ visit, make }) => {
      const owner = await make.owner();
      const page = await visit({ as: owner, path: "/" });
      await page.getByText("0 of 6 done").waitFor();
      await make.automation(owner);
      await page.reload();
      await page.getByText("Write a query: done").waitFor();
      await page.getByText("4 of 6 done").waitFor();
      await page.getByRole("link", { name: "Fruits" }).waitFor();
      await expectAccessible(page);
    },
  );
});

describe("a chart without a result", () => {
  walkTest(
    "appears on the start page, at its link and in its editor when a run that somebody else started has ended",
    async ({ visit, make, deps }) => {
      const owner = await make.owner();
      const sql = "SELECT * FROM (VALUES ('plum', 2), ('pear', 3)) t(fruit, weight)";
      const { shortId, currentQuery } = await make.reference(owner, sql, { title: "Fruit" });
      const { id } = await runQuery(deps, owner, { id: currentQuery?.id ?? "", parameterValues: {} });
      const start = await visit({ as: owner, path: "/" });
      await start.getByText("Running…").waitFor();
      const permalink = await visit({ as: owner, path: `/q/${shortId}` });
      await permalink.getByText("Waiting for a worker…").waitFor();
      const editor = await visit({ as: owner, path: `/q/${shortId}/edit` });
      await editor.getByText("This query is running").waitFor();

      const claimed = await claimOneQueryRun(deps, id);
      if (!claimed) throw new Error("The run could not be claimed.");
      await executeRun(deps, claimed, { signal: new AbortController().signal, onError: console.error });
      await permalink.getByRole("gridcell", { name: "plum" }).waitFor();
      await editor.getByRole("region", { name: "Preview" }).getByText("plum").first().waitFor();
      await start.getByText("A table of 2 rows").waitFor();
    },
  );
});

describe("a cancelled run", () => {
  walkTest("is listed as cancelled, not as failed", async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const query = await make.query(owner, "SELECT 1");
    const run = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
    await cancelRun(deps, owner, run);
    const page = await visit({ as: owner, path: `/queries/${query.id}` });
    await page.getByRole("tab", { name: "Runs" }).click();
    await page.getByRole("table", { name: "Runs" }).getByRole("row").nth(1).waitFor();
    const words = await textOf(page.getByRole("table", { name: "Runs" }));
    expect(words).toContain("Cancelled");
    expect(words).not.toContain("Failed");
    await page.getByRole("navigation").getByRole("link", { name: "Queries" }).click();
    await page.getByRole("table", { name: "Queries" }).getByText("Cancelled").waitFor();
  });
});

describe("the palette", () => {
  walkTest("finds objects and pages by keyboard alone, and runs commands", async ({ visit, make }) => {
    const owner = await make.owner();
    await make.reference(owner, "SELECT 1", { title: "Weights of pears" });
    const page = await visit({ as: owner, path: "/" });
    await heading(page, `Hello, ${owner.name}`);
    await page.keyboard.press("Control+k");
    const search = page.getByRole("textbox", { name: "Search or run a command" });
    await search.fill("pea");
    // It has no description.
    expect(await textOf(page.getByRole("button", { name: "Weights of pears" }))).toBe(
      "Weights of pearschart",
    );
    await expectAccessible(page);
    // In the middle of the window, not of what is beside the navigation.
    const palette = await page.getByRole("dialog", { name: "Search and commands" }).boundingBox();
    const middle = palette && palette.x + palette.width / 2;
    expect(middle).toBeCloseTo((page.viewportSize()?.width ?? 0) / 2, 0);
    await page.keyboard.press("Enter");
    await heading(page, "Weights of pears");
    await page.keyboard.press("Control+k");
    await search.fill("pea");
    await page.getByRole("button", { name: "Weights of pears chart" }).waitFor();
    // At once: what was found for the earlier text is no longer there.
    await search.fill("account");
    await page.keyboard.press("Enter");
    await heading(page, "Your account");
    for (const [words, found, title] of [
      ["new query", "New query", "New query"],
      ["new auto", "New automation", "New automation"],
      ["new endpoint", "New webhook endpoint", "Webhooks"],
      ["audit", "Settings: Audit log", "Audit log"],
      ["scopes", "Settings: API keys", "API keys"],
    ] as const) {
      await page.keyboard.press("Control+k");
      await search.fill(words);
      await page.getByRole("button", { name: found }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await heading(page, title);
    }
    // An editor that is loaded meanwhile does not take the focus.
    const editor = Promise.withResolvers<void>();
    await page.route("**/assets/editor-*.js", async (route) => {
      await editor.promise;
      await route.continue();
    });
    await page.goto("/queries/new");
    await heading(page, "New query");
    await page.keyboard.press("Control+k");
    await search.fill("dark");
    editor.resolve();
    await page.locator(".cm-content").waitFor();
    await search.and(page.locator(":focus")).waitFor();
    await page.unroute("**/assets/editor-*.js");
    await page.getByRole("button", { name: "Switch to dark" }).click();
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  });
});

describe("signing out", () => {
  walkTest("says that the session is still open if it fails", async ({ visit, make }) => {
    const owner = await make.owner();
    const page = await visit({ as: owner, path: "/" });
    await heading(page, `Hello, ${owner.name}`);
    await page.route("**/api/auth/sign-out", (route) => route.abort());
    await signOut(page, owner.name);
    await page.getByRole("alert").filter({ hasText: "You are still signed in" }).waitFor();
    await expectAccessible(page);
    await page.unroute("**/api/auth/sign-out");
    await signOut(page, owner.name);
    await heading(page, "Sign in");
  });
});

describe("an account", () => {
  walkTest("can be renamed, and the menu shows the new name", async ({ visit, make }) => {
    const owner = await make.owner();
    const page = await visit({ as: owner, path: "/account" });
    await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Your name is saved.").waitFor();
    await page.getByRole("button", { name: "Your menu, Ada Lovelace" }).click();
    await page.getByText(`(${owner.role})`).waitFor();
    await expectAccessible(page);
  });
});

describe("organizations", () => {
  walkTest("are created and switched between", async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const { name: first } = await deps.db.prisma.organization.findUniqueOrThrow({
      where: { id: owner.organizationId },
    });
    const page = await visit({ as: owner, path: "/organizations/new" });
    await heading(page, "Create an organization");
    await page.getByLabel("Name of the organization").fill("Analytical Engines");
    await page.getByRole("button", { name: "Create the organization" }).click();
    await page.getByText("What is new in Analytical Engines.").waitFor();
    await page.getByRole("button", { name: "Analytical Engines" }).click();
    await page.getByRole("menuitem", { name: first }).click();
    await page.getByText(`What is new in ${first}.`).waitFor();

    // Another window follows at once.
    const other = await page.context().newPage();
    await other.goto("/settings/organization");
    await other.getByLabel("Name", { exact: true }).waitFor();
    await page.getByRole("button", { name: first }).click();
    await page.getByRole("menuitem", { name: "Analytical Engines" }).click();
    await other.getByText("What is new in Analytical Engines.").waitFor();
  });

  walkTest(
    "are not confused by a window that shows one from which the session was switched",
    async ({ visit, make, deps }) => {
      const [person, { organizationId }] = [await make.owner(), await make.owner()];
      const { userId } = person;
      const { prisma } = deps.db;
      const createdAt = deps.clock.now();
      await prisma.member.create({ data: { organizationId, userId, role: "owner", createdAt } });
      const { name } = await prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
      const page = await visit({ as: person, path: "/settings/organization" });
      await page.getByLabel("Name", { exact: true }).fill("Renamed");
      await prisma.session.updateMany({ where: { userId }, data: { activeOrganizationId: organizationId } });
      await page.getByRole("button", { name: "Save the name" }).click();
      await page.getByText(`What is new in ${name}.`).waitFor();
      expect(await prisma.organization.count({ where: { name: "Renamed" } })).toBe(0);
    },
  );
});

describe("the bell", () => {
  walkTest(
    "updates its count without a reload, and its notifications link to their objects",
    async ({ visit, make, deps }) => {
      const owner = await make.owner();
      const page = await visit({ as: owner, path: "/" });
      await heading(page, `Hello, ${owner.name}`);
      const bell = page.getByRole("button", { name: "Notifications", exact: true });
      await bell.waitFor();
      await createNotification(deps, owner);
      await page.getByRole("button", { name: "Notifications, 1 unread" }).click();
      await page.getByRole("link", { name: /A webhook endpoint was disabled/ }).waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "All notifications" }).click();
      await heading(page, "Notifications");
      await page.getByRole("button", { name: "Mark all read" }).click();
      await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
      expect(await deps.db.prisma.notification.count({ where: { userId: owner.userId, readAt: null } })).toBe(
        0,
      );
    },
  );
});
