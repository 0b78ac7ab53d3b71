import { createFolder } from "@querybell/core/folders";
import { updateSettings } from "@querybell/core/organizations";
import { getParameters, setParameters } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { getRun, runQuery } from "@querybell/core/runs";
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
  "a query gets a date range and dependent choices with its next version, and its address keeps the values",
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
    const page = await visit({ as: owner, path: `/queries/${id}` });
    await page.getByRole("button", { name: "Define" }).click();
    const dialog = page.getByRole("dialog", { name: "Parameters" });
    const of = (name: string) => dialog.getByRole("group", { name: `{{${name}}}`, exact: true });
    // One of the two is made a date range: the other is found by its name.
    await choose(page, of("until").getByRole("combobox", { name: "Type" }), "Date range");
    expect(await of("since").getByRole("combobox", { name: "Type" }).inputValue()).toBe("Date range");
    const range = dialog.getByRole("group", { name: "Date range from {{since}} to {{until}}" });
    for (const [name, from] of [
      ["country", /countries/],
      ["city", /cities/],
    ] as const) {
      await choose(page, of(name).getByRole("combobox", { name: "Choices" }), "The rows of another query");
      await choose(page, of(name).getByRole("combobox", { name: "Query of the choices" }), from);
    }
    await of("city").getByText("country", { exact: true }).waitFor();
    await range.getByRole("button", { name: "Default: Choose the days" }).click();
    // Escape closes the calendar, and not the dialog.
    await page.locator("[role='dialog']:not([aria-modal]):focus-within").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "This month" }).waitFor({ state: "detached" });
    await range.getByRole("button", { name: "Default: Choose the days" }).click();
    await page.getByRole("button", { name: "This month" }).click();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Use these definitions" }).click();
    await page.getByText("Changed, not saved: only you see this").waitFor();
    // A colleague defines another one meanwhile: both changes are kept.
    const colleague = { name: "spare", displayName: "Spare", type: "string" as const, description: "" };
    await setParameters(deps, owner, { id, version: 0, definitions: [colleague], choices: {}, ranges: [] });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const conflict = page.getByRole("dialog", { name: "The query was changed meanwhile" });
    await conflict.getByText("Saving adds your changes to theirs.").waitFor();
    await conflict.getByRole("button", { name: "Save mine" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const { definitions, ranges } = await getParameters(deps, owner, { id, names: [] });
    expect(definitions.map(({ name }) => name).sort()).toEqual([
      "city",
      "country",
      "since",
      "spare",
      "until",
    ]);
    expect(ranges).toMatchObject([{ start: "since", end: "until" }]);
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

    // Somebody runs it with other values. The address still shows the result of its own.
    const days = { since: "2026-01-01", until: "2026-01-31" };
    const other = await runQuery(deps, owner, {
      id,
      parameterValues: { country: "FR", city: "Lyon", ...days },
    });
    await expect.poll(async () => (await getRun(deps, owner, other)).status).toBe("completed");
    await page.reload();
    await page.getByRole("gridcell", { name: "DE Bonn" }).waitFor();
    await page.getByRole("button", { name: /^Period: Last 7 days: / }).waitFor();
    await expect.poll(() => page.getByRole("combobox", { name: "country" }).inputValue()).toBe("Germany");
    // Another country takes the city with it.
    await choose(page, page.getByRole("combobox", { name: "country" }), "France");
    expect(await page.getByRole("combobox", { name: "city" }).inputValue()).toBe("");

    // Values without a result run when that is wanted. A removed choice is marked.
    const address = (values: Record<string, string>) =>
      `/queries/${id}?${Object.entries(values)
        .map(([name, text]) => `p.${name}=${text}`)
        .join("&")}`;
    const gone = { country: "FR", city: "Gone", ...days };
    await page.goto(address(gone));
    await page.getByText("There is no result for these values yet.").waitFor();
    await page.getByText("“Gone” is not among the choices.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Run with these values" }).click();
    await page.getByRole("gridcell", { name: "FR Gone" }).waitFor();

    // What does not fit is marked at once.
    await page.goto(address({ ...gone, since: "2026-02-01" }));
    await page.getByText("until is before the start of the range.").waitFor();
    await page.getByText("Correct the values, then run the query.").waitFor();
    await page.goto(address({ ...gone, since: "soon" }));
    await page.getByText(/^since takes a date such as/).waitFor();
  },
);

walkTest(
  "a new query is tried with a date range before it is saved, and its chart keeps the values it was made of",
  async ({ visit, make, deps, worker: _ }) => {
    const owner = await make.owner();
    await make.database(owner);
    await createFolder(deps, owner, { name: "Fruits", parentId: null });
    const page = await visit({ as: owner, path: "/queries/new" });
    await page.getByRole("textbox", { name: "SQL" }).click();
    await page.keyboard.type("SELECT {{until}} - {{since}} AS days, {{fruit}} AS fruit");
    const define = page.getByRole("button", { name: "Define" });
    await define.waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText("since is required.").waitFor();
    await define.click();
    const dialog = page.getByRole("dialog", { name: "Parameters" });
    const of = (name: string) => dialog.getByRole("group", { name: `{{${name}}}`, exact: true });
    await choose(page, of("since").getByRole("combobox", { name: "Type" }), "Date range");
    await choose(page, of("fruit").getByRole("combobox", { name: "Choices" }), "A fixed list");
    await of("fruit").getByLabel("Value of choice 1").fill("plum");
    await page.keyboard.press("Enter");
    await page.keyboard.type("pear");
    // Left by mistake: nothing is lost.
    await page.keyboard.press("Escape");
    await define.and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await of("fruit").getByLabel("Value of choice 2").inputValue()).toBe("pear");
    await dialog.getByRole("button", { name: "Use these definitions" }).click();
    await page.getByRole("button", { name: "Period: Choose the days" }).waitFor();
    expect(await page.getByText(/ is required/).count()).toBe(0);
    await choose(page, page.getByRole("combobox", { name: "fruit" }), "plum");
    await page.getByRole("button", { name: "Period: Choose the days" }).click();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("gridcell", { name: "6", exact: true }).waitFor();
    const { organizationId } = owner;
    expect(await deps.db.prisma.queryParameters.count({ where: { organizationId } })).toBe(0);
    // A reload shows the draft with its definitions.
    await page.waitForURL(/p\.since=today-6d/);
    await page.reload();
    await page.getByRole("button", { name: /^Period: Last 7 days: / }).waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const save = page.getByRole("dialog", { name: "Save the query" });
    await save.getByRole("textbox", { name: "Name" }).fill("Days");
    await choose(page, save.getByRole("combobox", { name: "Folder" }), "Fruits");
    await save.getByRole("button", { name: "Save the query" }).click();
    await page.getByRole("link", { name: "Folder: Fruits" }).waitFor();
    await page.getByRole("gridcell", { name: "6", exact: true }).waitFor();
    expect(await deps.db.prisma.queryParameters.findMany({ where: { organizationId } })).toMatchObject([
      { version: 1, ranges: [{ start: "since", end: "until" }] },
    ]);

    await page.getByRole("tab", { name: "Charts" }).click();
    await page.getByRole("button", { name: "New chart" }).click();
    await page.getByRole("region", { name: "Preview" }).waitFor();
    await page.getByRole("link", { name: "Back", exact: true }).click();
    await page.getByText("No charts yet").waitFor();
    expect(await deps.db.prisma.queryReference.count({ where: { organizationId } })).toBe(0);
    await page.getByRole("button", { name: "New chart" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/\/q\/\w+$/);
    await page.getByRole("gridcell", { name: "6", exact: true }).waitFor();
    const [chart] = await deps.db.prisma.queryReference.findMany({ where: { organizationId } });
    expect(chart?.parameters).toMatchObject([
      { name: "until", defaultValue: "today" },
      { name: "since", defaultValue: "today-6d" },
      { name: "fruit", defaultValue: "plum" },
    ]);
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

walkTest(
  "changes of parameters that were dropped come back with what they were made from, while their page is open",
  async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{day}} AS day");
    const define = (version: number, displayName: string) => {
      const definitions = [{ name: "day", displayName, type: "string" as const, description: "" }];
      return setParameters(deps, owner, { id, version, definitions, choices: {}, ranges: [] });
    };
    await define(0, "Day");
    const page = await visit({ as: owner, path: `/queries/${id}` });
    const dialog = page.getByRole("dialog", { name: "Parameters" });
    const label = dialog
      .getByRole("group", { name: "{{day}}", exact: true })
      .getByRole("textbox", { name: "Label" });
    const drop = async (text: string) => {
      await page.getByRole("button", { name: "Define" }).click();
      await label.fill(text);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };
    const dropped = page
      .getByRole("alert")
      .filter({ hasText: "Your changes of the parameters are dropped." });
    const undo = dropped.getByRole("button", { name: "Undo" });

    // The dialog is open again, with other changes: these can be brought back in their turn.
    await drop("First");
    await page.getByRole("button", { name: "Define" }).click();
    await label.fill("Second");
    await undo.click();
    await expect.poll(() => label.inputValue()).toBe("First");
    await undo.click();
    await expect.poll(() => label.inputValue()).toBe("Second");
    await dialog.getByRole("button", { name: "Use these definitions" }).click();
    await page.getByLabel("Second", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.getByLabel("Day", { exact: true }).waitFor();

    // The page alone can open its dialog.
    await page.reload();
    await drop("Left");
    await undo.waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Queries", exact: true }).click();
    await dropped.waitFor({ state: "detached" });
    await page.goto(`/queries/${id}`);

    // A colleague changes the label meanwhile, and the text gets another placeholder.
    await drop("Mine");
    await define(1, "Theirs");
    await page.getByRole("textbox", { name: "SQL" }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(", {{region}} AS region");
    await page.getByLabel("Theirs", { exact: true }).waitFor();
    await undo.click();
    expect(await label.inputValue()).toBe("Mine");
    await dialog.getByRole("group", { name: "{{region}}", exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Use these definitions" }).click();
    await page.getByLabel("Mine", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const conflict = page.getByRole("dialog", { name: "The query was changed meanwhile" });
    await conflict.getByText("yours replace theirs of {{day}}").waitFor();
    expect((await getParameters(deps, owner, { id, names: [] })).version).toBe(2);
  },
);
