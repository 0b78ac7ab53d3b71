import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, holdAnswers, saveNewQuery, signIn } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

const command = "Control";

/** Holds and counts the calls of a procedure, or those with some words in their input, until they are released. */
async function holdCalls(page: Page, procedure: string, words = "") {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = { count: 0, release: resolve };
  await page.route(`**/*${procedure}*`, async (route) => {
    if (!(route.request().postData() ?? "").includes(words)) return route.continue();
    held.count++;
    await promise;
    return route.continue();
  });
  return held;
}

describe("a query", () => {
  walkTest(
    "becomes a chart that another member opens on a phone",
    async ({ page, visit, make, worker: _ }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      await make.database(owner);
      await page.goto("/");
      await signIn(page, owner.email);
      await page.getByRole("navigation").getByRole("link", { name: "Queries" }).click();
      await page.getByRole("link", { name: "Write the first query" }).click();
      // The schema is shown once a database is chosen. Before that, nothing can be run.
      await page.getByText("fruits", { exact: true }).first().waitFor();
      await page.getByRole("textbox", { name: "SQL" }).click();
      // Several rows for each name: the chart is split.
      await page.keyboard.type(
        "SELECT name, half, weight FROM fruits, (VALUES ('left'), ('right')) AS halves(half) ORDER BY weight",
      );
      await page.keyboard.press(`${command}+Enter`);
      await page.getByRole("gridcell", { name: "pear" }).first().waitFor();

      // Nobody else sees it until it is saved.
      const colleague = await visit({ as: member, path: "/queries" });
      await colleague.getByText("No queries yet").waitFor();
      await saveNewQuery(page, "Fruits by weight");
      await page.getByRole("gridcell", { name: "pear" }).first().waitFor();
      await colleague.reload();
      await colleague.getByRole("link", { name: "Fruits by weight" }).waitFor();

      await page.getByRole("tab", { name: "Charts" }).click();
      await page.getByRole("button", { name: "New chart" }).click();
      await page
        .getByRole("region", { name: "Preview" })
        .getByRole("application")
        .getByText("apple")
        .waitFor();
      await page
        .getByRole("region", { name: "Preview" })
        .getByText("right", { exact: true })
        .last()
        .waitFor();
      expect(await page.getByRole("combobox", { name: "Split by" }).inputValue()).toBe("half");
      await page.getByLabel("Values from").pressSequentially("10.5");
      expect(await page.getByLabel("Values from").inputValue()).toBe("10.5");
      await page.getByLabel("Values to").fill("5");
      await page.getByText("Must be greater than “Values from”.").waitFor();
      await page.getByLabel("Values from").fill("");
      await page.getByLabel("Values to").fill("");
      // What a field of a margin shows when it is left is what counts.
      const left = page.getByRole("textbox", { name: "Left", exact: true });
      for (const [typed, counts] of [
        ["1000", "200"],
        ["", "16"],
      ] as const) {
        await left.fill(typed);
        await left.blur();
        expect(await left.inputValue()).toBe(counts);
      }
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.waitForURL(/\/q\/\w+$/);
      await page.getByRole("group", { name: "Chart: Fruits by weight" }).waitFor();

      const phone = await visit({ as: member, path: new URL(page.url()).pathname, phone: true });
      await heading(phone, "Fruits by weight");
      const chart = phone.getByRole("group", { name: "Chart: Fruits by weight" });
      await chart.getByText("right", { exact: true }).last().waitFor();
      await phone.getByRole("gridcell", { name: "pear" }).first().waitFor();

      // On a card the chart is a picture: Tab goes past it.
      const cards = await visit({ as: member, path: "/charts" });
      await cards.locator("article [data-chart]").waitFor();
      await cards.getByRole("link", { name: "Fruits by weight" }).focus();
      for (const name of ["Favourite: Fruits by weight", "More: Fruits by weight"]) {
        await cards.keyboard.press("Tab");
        expect(await cards.getByRole("button", { name }).and(cards.locator(":focus")).count()).toBe(1);
      }
      await cards.keyboard.press("Tab");
      expect(await cards.locator("article :focus").count()).toBe(0);

      // Deleting the link names the consequences and asks for confirmation.
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete “Fruits by weight”?" });
      await dialog.getByText("The query stays, with its SQL, its runs and its result.").waitFor();
      await dialog.getByRole("button", { name: "Delete the chart" }).click();
      await page.getByText("“Fruits by weight” is deleted.").waitFor();
      await heading(page, "No charts yet");
      expect((await phone.reload())?.status()).toBe(404);
      await heading(phone, "There is nothing here");
    },
  );

  walkTest("says why its first run failed, then and later", async ({ visit, make, worker: _ }) => {
    const owner = await make.owner();
    await make.database(owner);
    const page = await visit({ as: owner, path: "/queries/new" });
    await page.getByText("fruits", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const refused = page.getByRole("alert").filter({ hasText: "Not saved" });
    await refused.filter({ hasText: "SQL must not be empty." }).waitFor();
    await page.getByRole("textbox", { name: "SQL" }).click();
    await page.keyboard.type("SELECT weigth FROM fruits");
    await page.keyboard.press(`${command}+Enter`);
    const alert = page.getByRole("alert").filter({ hasText: "The run failed" });
    await alert.filter({ hasText: "weigth" }).waitFor();
    await refused.waitFor({ state: "detached" });
    await page.reload();
    await alert.filter({ hasText: "weigth" }).waitFor();
    await expectAccessible(page);

    // The error is marked in the statement that ran, and not in a later one.
    const editor = page.getByRole("textbox", { name: "SQL" });
    await editor.click();
    await page.keyboard.press(`${command}+Enter`);
    await page.locator(".cm-lintRange-error").waitFor();
    await page.keyboard.type("-- corrected ");
    await page.locator(".cm-lintRange-error").waitFor({ state: "detached" });
    await page.keyboard.press(`${command}+s`);
    const dialog = page.getByRole("dialog", { name: "Save the query" });
    const name = dialog.getByRole("textbox", { name: "Name" });
    expect(await name.inputValue()).toBe("Fruits");
    await expectAccessible(page);
    // What is wrong with a field is shown there, and once.
    await name.fill("");
    await page.keyboard.press("Enter");
    await dialog.getByText("Must not be empty.").waitFor();
    expect(await dialog.getByText("must not be empty").count()).toBe(1);
    await name.and(page.locator(":focus")).fill("Fruits");
    await page.keyboard.press("Enter");
    await heading(page, "Fruits");
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.getByText("No result yet. Run the query to see its rows here.").waitFor();
  });

  walkTest(
    "is stored, tried and saved once though its shortcut is pressed twice, and keeps what is typed meanwhile",
    async ({ visit, make, deps, worker: _ }) => {
      const owner = await make.owner();
      await make.database(owner);
      const page = await visit({ as: owner, path: "/queries/new" });
      const editor = page.getByRole("textbox", { name: "SQL" });
      await page.getByText("fruits", { exact: true }).first().waitFor();
      const creating = await holdCalls(page, "drafts.create");
      await editor.click();
      await page.keyboard.type("SELECT {{word}} AS word");
      await page.getByLabel("word", { exact: true }).fill("plum");
      await editor.click();
      await page.keyboard.press(`${command}+End`);
      for (const _ of ["first", "second"]) await page.keyboard.press(`${command}+Enter`);
      await page.keyboard.type(" -- more");
      creating.release();
      await page.waitForURL(/\/queries\/new\?.*draft=/);
      await page.getByRole("gridcell", { name: "plum" }).waitFor();
      const { organizationId } = owner;
      expect(await deps.db.prisma.queryDraft.count({ where: { organizationId } })).toBe(1);
      expect(await deps.db.prisma.queryRun.count({ where: { organizationId } })).toBe(1);

      const saving = await holdCalls(page, "drafts.save");
      await editor.click();
      for (const _ of ["first", "second"]) await page.keyboard.press(`${command}+s`);
      await page.getByRole("dialog", { name: "Save the query" }).waitFor();
      for (const _ of ["first", "second"]) await page.keyboard.press("Enter");
      saving.release();
      await page.waitForURL(/\/queries\/(?!new)/);
      await page.getByText("Saved", { exact: true }).waitFor();
      expect(saving.count).toBe(1);
      expect(await page.getByLabel("word", { exact: true }).inputValue()).toBe("plum");
      await editor.getByText("-- more").waitFor();
      expect(await deps.db.prisma.query.count({ where: { organizationId, deletedAt: null } })).toBe(1);

      // A rename that is answered after a save does not bring the earlier SQL back.
      const renaming = await holdCalls(page, "queries.update", "A word");
      await page.getByRole("button", { name: "Edit the name" }).click();
      await page.getByRole("textbox", { name: "The name" }).fill("A word");
      await page.keyboard.press("Enter");
      await editor.click();
      await page.keyboard.press(`${command}+End`);
      await page.keyboard.type(" and more");
      await page.getByText("Changed, not saved: only you see this").waitFor();
      // Nor does what the save has read before the rename, and gets after it, bring the earlier name back.
      const reading = await holdAnswers(page, "queries.get");
      await page.keyboard.press(`${command}+s`);
      await page.getByText("Saved", { exact: true }).waitFor();
      await reading.read;
      renaming.release();
      await heading(page, "A word");
      await reading.release();
      await editor.click();
      await heading(page, "A word");
      expect(await editor.textContent()).toContain("-- more and more");
    },
  );

  walkTest(
    "keeps its draft when its page is left, and definitions that are not replaced before they are read",
    async ({ visit, make }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT {{days}} AS days", {
        parameters: [{ name: "days", displayName: "Days", type: "integer", description: "" }],
      });
      const idle = await visit({ as: owner, path: `/queries/${id}` });
      await idle.getByRole("textbox", { name: "SQL" }).waitFor();
      const page = await idle.context().newPage();
      await page.goto(`/queries/${id}`);
      await page.getByRole("textbox", { name: "SQL" }).click();
      await page.keyboard.type("-- typed ");
      await page.getByText("Changed, not saved: only you see this").waitFor();
      for (const tab of [page, idle]) {
        await tab.getByRole("navigation").getByRole("link", { name: "Queries", exact: true }).click();
        await heading(tab, "Queries");
      }
      // The link to all queries clears the search, in its field too.
      const search = idle.getByRole("textbox", { name: "Search names, descriptions and SQL" });
      await search.fill("nothing");
      await idle.getByText("No queries fit these filters.").waitFor();
      await idle.getByRole("navigation").getByRole("link", { name: "Queries", exact: true }).click();
      await idle.getByRole("link", { name: "AS days" }).waitFor();
      expect(await search.inputValue()).toBe("");

      await page.reload();
      const reading = await holdCalls(page, "queries.parameters");
      await page.getByRole("link", { name: "AS days" }).click();
      await page.getByText("Changed, not saved: only you see this").waitFor();
      await page.getByRole("textbox", { name: "SQL" }).getByText("-- typed").waitFor();
      await page.getByRole("button", { name: "Define" }).click();
      const dialog = page.getByRole("dialog", { name: "Parameters" });
      await dialog.waitFor();
      expect(await dialog.getByRole("button", { name: "Use these definitions" }).count()).toBe(0);
      reading.release();
      await dialog.getByRole("button", { name: "Use these definitions" }).waitFor();
      expect(await dialog.getByRole("combobox", { name: "Type" }).inputValue()).toBe("Whole number");
    },
  );

  walkTest("is not overwritten by a second editor", async ({ visit, make }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id } = await make.query(owner, "SELECT 1");
    const [first, second] = [
      await visit({ as: owner, path: `/queries/${id}` }),
      await visit({ as: member, path: `/queries/${id}` }),
    ];
    for (const [editor, text] of [
      [first, ", 2 AS two"],
      [second, ", 3 AS three"],
    ] as const) {
      await editor.getByRole("textbox", { name: "SQL" }).click();
      await editor.keyboard.press(`${command}+End`);
      await editor.keyboard.type(text);
    }
    await first.getByRole("button", { name: "Save", exact: true }).click();
    await first.getByText("Saved", { exact: true }).waitFor();
    await second.getByRole("button", { name: "Save", exact: true }).click();
    const dialog = second.getByRole("dialog", { name: "The query was changed meanwhile" });
    await dialog.getByText("two").first().waitFor();
    await expectAccessible(second);
    await dialog.getByRole("button", { name: "Save mine as version 3" }).click();
    await second.getByText("Saved", { exact: true }).waitFor();
    await second.getByRole("tab", { name: "Versions" }).click();
    await second.getByText("Version 2").first().click();
    await second.getByRole("button", { name: "Bring version 2 back" }).waitFor();
  });

  walkTest(
    "keeps its result when its database goes away during a run",
    async ({ visit, make, deps, worker: _ }) => {
      const owner = await make.owner();
      const sql = "SELECT 'kept' AS word, pg_sleep({{seconds}}::float8)";
      const { id } = await make.query(owner, sql, { engine: "postgres" });
      const page = await visit({ as: owner, path: `/queries/${id}` });
      await page.getByLabel("seconds", { exact: true }).fill("0");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("gridcell", { name: "kept" }).waitFor();
      await page.getByLabel("seconds", { exact: true }).fill("600");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByText(/Running…/).waitFor();
      const sleeping =
        "SELECT pid FROM pg_stat_activity WHERE query LIKE '%FETCH%querybell%' AND pid <> pg_backend_pid()";
      await expect.poll(async () => (await deps.db.pool.query(sleeping)).rowCount).toBeGreaterThan(0);
      await deps.db.pool.query(`SELECT pg_terminate_backend(pid) FROM (${sleeping}) AS gone`);
      await page.getByText("The run failed").waitFor();
      await page.getByRole("gridcell", { name: "kept" }).waitFor();
    },
  );
});
