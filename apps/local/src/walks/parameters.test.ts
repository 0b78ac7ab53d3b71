import { updateSettings } from "@querybell/core/organizations";
import { getParameters, setParameters } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

const choose = async (page: Page, field: Locator, option: string | RegExp) => {
  await field.click();
  await page.getByRole("option", { name: option, exact: typeof option === "string" }).click();
};

walkTest(
  "a query gets a date range and dependent choices, and its address keeps the values",
  async ({ visit, make, deps, worker: _ }) => {
    const owner = await make.owner();
    await make.query(
      owner,
      "SELECT * FROM (VALUES ('DE', 'Germany'), ('FR', 'France')) AS countries(code, name)",
    );
    await make.query(
      owner,
      "SELECT city FROM (VALUES ('DE', 'Bonn'), ('FR', 'Lyon')) AS cities(c, city) WHERE c = {{country}}",
    );
    const { id } = await make.query(
      owner,
      "SELECT {{country}} || ' ' || {{city}} AS place, {{until}}::DATE - {{since}}::DATE AS days",
    );
    const since = { name: "since", displayName: "since", type: "date" as const, description: "" };
    await setParameters(deps, owner, { id, version: 0, definitions: [since], choices: {}, ranges: [] });
    const page = await visit({ as: owner, path: `/queries/${id}` });
    await page.getByRole("button", { name: "Define" }).click();
    const dialog = page.getByRole("dialog", { name: "Parameters" });
    const of = (name: string) => dialog.getByRole("group", { name: `{{${name}}}`, exact: true });
    await choose(page, of("until").getByRole("combobox", { name: "Type" }), "Date");
    await dialog.getByRole("button", { name: "Make until and since a date range" }).click();
    const range = dialog.getByRole("group", { name: /^Date range/ });
    await choose(page, range.getByRole("combobox", { name: "First day" }), "since");
    for (const [name, from] of [
      ["country", /countries/],
      ["city", /cities/],
    ] as const) {
      await choose(page, of(name).getByRole("combobox", { name: "Choices" }), "The rows of another query");
      await choose(page, of(name).getByRole("combobox", { name: "Query of the choices" }), from);
    }
    await of("city").getByText("country", { exact: true }).waitFor();
    await range.getByRole("button", { name: "Default: Choose the days" }).click();
    await page.getByRole("button", { name: "This month" }).click();
    // A colleague saves meanwhile: both changes are kept.
    const colleague = { name: "spare", displayName: "Spare", type: "string" as const, description: "" };
    const definitions = [since, colleague];
    await setParameters(deps, owner, { id, version: 1, definitions, choices: {}, ranges: [] });
    await dialog.getByRole("button", { name: "Save definitions" }).click();
    await dialog.getByText("Somebody else has changed the parameters").waitFor();
    await dialog.getByRole("button", { name: "Add my changes to theirs" }).click();
    await dialog.getByRole("button", { name: "Save definitions" }).click();
    await page.getByText("The parameters are saved.").waitFor();
    const saved = await getParameters(deps, owner, { id, names: [] });
    expect(saved.definitions.map(({ name }) => name).sort()).toEqual([
      "city",
      "country",
      "since",
      "spare",
      "until",
    ]);
    expect(saved.ranges).toMatchObject([{ start: "since", end: "until" }]);
    expect(await deps.db.prisma.queryReference.count({ where: { queryId: id } })).toBe(0);

    // What is missing is said at the field, before anything runs.
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("country is required.").waitFor();
    await page.getByRole("combobox", { name: "city" }).click();
    await page.getByText("Choose country first.").waitFor();
    await choose(page, page.getByRole("combobox", { name: "country" }), "Germany");
    await choose(page, page.getByRole("combobox", { name: "city" }), "Bonn");
    await page.getByRole("button", { name: /^Period: This month: 1 to \d+ / }).click();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await page.getByRole("button", { name: /^Period: Last 7 days: \d+ / }).waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("gridcell", { name: "DE Bonn" }).waitFor();
    await page.getByRole("gridcell", { name: "6", exact: true }).waitFor();
    await page.waitForURL(/p\.since=today-6d/);
    await page.reload();
    await page.getByRole("button", { name: /^Period: Last 7 days: / }).waitFor();
    await expect.poll(() => page.getByRole("combobox", { name: "country" }).inputValue()).toBe("Germany");
    // Another country takes the city with it.
    await choose(page, page.getByRole("combobox", { name: "country" }), "France");
    expect(await page.getByRole("combobox", { name: "city" }).inputValue()).toBe("");
  },
);

walkTest(
  "a chart shows other values with Enter, and an expired result until it has a new one",
  async ({ visit, make, deps, clock, worker: _ }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    await updateSettings(deps, owner, { resultLifetimeSeconds: 3600, expiredResultDays: 3 });
    const { id } = await make.query(owner, "SELECT 'until ' || {{until}} AS words");
    const until = { name: "until", displayName: "Until", type: "date" as const, description: "" };
    await setParameters(deps, owner, {
      id,
      version: 0,
      definitions: [{ ...until, defaultValue: "2026-01-31" }],
      choices: {},
      ranges: [],
    });
    const { shortId } = await createReference(deps, owner, { queryId: id, title: "Words" });
    const page = await visit({ as: member, path: `/q/${shortId}`, phone: true });
    await heading(page, "Words");
    const field = page.getByRole("textbox", { name: "Until" });
    await field.fill("soon");
    await field.press("Enter");
    await page.getByText(/^Until takes a date such as/).waitFor();
    expect(await deps.db.prisma.queryRun.count({ where: { queryId: id } })).toBe(0);

    // With the keyboard alone: the calendar opens at the default's month.
    await field.fill("2026-01-31");
    await field.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Show the next month" }).waitFor();
    await expectAccessible(page);
    await page.locator('[data-day="2026-01-31"]').focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("PageDown");
    await page.keyboard.press("Enter");
    expect(await field.inputValue()).toBe("2026-02-24");
    await field.press("Enter");
    await page.getByRole("gridcell", { name: "until 2026-02-24" }).waitFor();
    expect(new URL(page.url()).search).toBe("?until=2026-02-24");

    // Opening the link when its result has expired shows that one, until the new one is there.
    await clock.advance(7_200_000);
    const { promise: seen, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/*queries.run*", async (route) => {
      await seen;
      return route.continue();
    });
    await page.reload();
    await page.getByText("expired", { exact: true }).waitFor();
    await page.getByRole("gridcell", { name: "until 2026-02-24" }).waitFor();
    // It cannot be downloaded.
    expect(await page.getByRole("button", { name: "Download" }).count()).toBe(0);
    release();
    await page.getByRole("button", { name: "Download" }).waitFor();
    expect(await page.getByText("expired").count()).toBe(0);
    expect(await deps.db.prisma.queryRun.count({ where: { queryId: id } })).toBe(2);
  },
);
