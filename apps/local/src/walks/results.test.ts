import { readFile } from "node:fs/promises";
import { createReference } from "@querybell/core/references";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

describe("a result", () => {
  walkTest("of 50,000 rows is scrolled to its end", async ({ visit, make, worker: _ }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT i AS n, 'row ' || i AS name FROM range(50000) t(i)");
    const page = await visit({ as: owner, path: `/queries/${id}` });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("gridcell", { name: "row 0", exact: true }).waitFor();
    const grid = page.getByRole("grid");
    await grid.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await page.getByRole("gridcell", { name: "row 49999", exact: true }).waitFor();
    // Only visible rows are in the DOM, and the last row is at the end.
    expect(await page.getByRole("row").count()).toBeLessThan(80);
    expect(await grid.getByRole("row").last().isVisible()).toBe(true);

    await grid.focus();
    await page.keyboard.press("Control+Home");
    await page.getByRole("gridcell", { name: "row 0", exact: true, selected: false }).waitFor();
    await page.keyboard.press("ArrowRight");
    const active = page.getByRole("gridcell", { name: "row 0", exact: true, selected: true });
    await active.waitFor();
    expect(await grid.getAttribute("aria-activedescendant")).toBe(await active.getAttribute("id"));
    await expectAccessible(page);

    const cellOf = (text: string) => page.getByRole("gridcell", { name: text, exact: true });
    await cellOf("0").hover();
    await page.mouse.down();
    await cellOf("row 1").hover();
    await cellOf("row 2").hover();
    await page.mouse.up();
    // Without a button held, nothing more is selected.
    await cellOf("row 5").hover();
    await page.keyboard.press("Control+c");
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("0\trow 0\n1\trow 1\n2\trow 2");

    const sort = grid.getByRole("button", { name: "n", exact: true });
    const widthOf = async () => (await cellOf("0").boundingBox())?.width ?? 0;
    const width = await widthOf();
    await sort.press("Shift+ArrowRight");
    expect(await widthOf()).toBe(width + 16);

    // Ascending, then descending.
    await sort.click();
    await sort.click();
    await page.getByRole("gridcell", { name: "row 49999", exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Filter rows" }).fill("row 777");
    await page.getByRole("status").filter({ hasText: "11 of 50,000 rows" }).waitFor();
    await page.getByRole("gridcell", { name: "row 777", exact: true }).waitFor();
  });

  walkTest(
    "is read while its scroll bar is dragged, and has cells when it stops",
    async ({ visit, make, worker: _ }) => {
      const owner = await make.owner();
      // A value of two lines, and a missing one, take one line of a column's text like every other.
      const sql = `SELECT i AS n, 'row ' || i || chr(10) || 'of many' AS name, NULL AS nothing FROM range(5000) t(i)`;
      const { id } = await make.query(owner, sql);
      const page = await visit({ as: owner, path: `/queries/${id}` });
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("gridcell", { name: "row 0 of many", exact: true }).waitFor();

      // Jumps to and fro in every frame, until the worker has sent the rows of one place.
      const dragged = await page.getByRole("grid").evaluate(async (grid) => {
        const columns = [...grid.querySelectorAll("[role=rowgroup] > [aria-hidden] > *")];
        const cells = [...grid.querySelectorAll("[role=gridcell]")];
        let lines: string[][] = [];
        do {
          grid.scrollTop = grid.scrollTop === 30_000 ? 60_000 : 30_000;
          await new Promise((done) => grid.ownerDocument.defaultView?.requestAnimationFrame(done));
          lines = columns.map(({ textContent }) => textContent?.split("\n").slice(0, 2) ?? []);
        } while (lines[2]?.[0] !== `row ${grid.scrollTop / 30} of many`);
        const { top, bottom } = grid.getBoundingClientRect();
        const inSight = [...columns, ...cells].filter((one) => {
          const place = one.getBoundingClientRect();
          return one.checkVisibility() && place.top < bottom && place.bottom > top;
        });
        return { first: grid.scrollTop / 30, lines, inSight: inSight.length };
      });
      const { first } = dragged;
      const inReadersDigits = (index: number) => (first + index).toLocaleString("en-US");
      expect(dragged.lines).toEqual([
        [`${first + 1}`, `${first + 2}`],
        [inReadersDigits(0), inReadersDigits(1)],
        [`row ${first} of many`, `row ${first + 1} of many`],
        ["NULL", "NULL"],
      ]);
      expect(dragged.inSight).toBe(dragged.lines.length);

      const cell = page.getByRole("gridcell", { name: `row ${first} of many`, exact: true });
      await cell.click();
      await page.keyboard.press("Shift+ArrowDown");
      await page.getByRole("gridcell", { name: `row ${first + 1} of many`, selected: true }).waitFor();
    },
  );

  walkTest(
    "is downloaded as Parquet from the query and from its permalink",
    async ({ visit, make, deps, worker: _ }) => {
      const owner = await make.owner();
      const { id: queryId } = await make.query(owner, "SELECT i AS n FROM range(1000) t(i)");
      const { shortId } = await createReference(deps, owner, { queryId, title: "Numbers" });
      const page = await visit({ as: owner, path: `/queries/${queryId}` });
      await page.getByRole("button", { name: "Run", exact: true }).click();
      // The query has no name.
      for (const [path, named] of [
        [undefined, /^result-[\da-f-]{36}\.parquet$/],
        [`/q/${shortId}`, /^Numbers \d{4}-\d\d-\d\d\.parquet$/],
      ] as const) {
        if (path) await page.goto(path);
        await page.getByRole("button", { name: "Download" }).click();
        const started = page.waitForEvent("download");
        await page.getByRole("menuitem", { name: "Parquet, with column types" }).click();
        const download = await started;
        expect(download.suggestedFilename()).toMatch(named);
        const file = await readFile(await download.path());
        // The file begins and ends with these bytes.
        expect([file.subarray(0, 4), file.subarray(-4)].map(String)).toEqual(["PAR1", "PAR1"]);
      }
    },
  );
});

describe("a page that is older than the server", () => {
  walkTest("stays, and says that it has to be reloaded", async ({ visit, make, worker: _ }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1 AS one_long_heading WHERE false");
    const page = await visit({ as: owner });
    await page.route(/assets\/(?:palette|result-worker)-/, (route) => route.abort());
    await page.goto(`/queries/${id}`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "The result could not be read." }).waitFor();
    await page.getByRole("textbox", { name: "SQL" }).click();
    await page.keyboard.type("-- not saved");
    await page.keyboard.press("Control+k");
    await page.getByText("A part of this page could not be loaded").waitFor();
    await page.getByText("-- not saved").waitFor();
    await expectAccessible(page);

    await page.unroute(/assets\/(?:palette|result-worker)-/);
    await page.getByRole("button", { name: "Reload" }).click();
    // A result without rows has whole headings.
    const name = page.getByRole("columnheader").getByText("one_long_heading");
    await name.waitFor();
    await expect
      .poll(() => name.evaluate((word) => word.scrollWidth - word.clientWidth), { timeout: 30_000 })
      .toBe(0);

    // A result that could not be fetched is fetched again without a reload, when the connection is back.
    await page.route(/\/api\/runs\/[^/]+\/result$/, (route) => route.abort());
    await page.reload();
    await page.getByRole("alert").filter({ hasText: "Querybell cannot be reached" }).waitFor();
    await page.unroute(/\/api\/runs\/[^/]+\/result$/);
    await name.waitFor();
  });
});

describe("the editor of a chart", () => {
  walkTest(
    "keeps its chart when the result is gone, and asks before a new one is lost",
    async ({ visit, make, worker: _ }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 'plum' AS fruit, 2 AS weight");
      const page = await visit({ as: owner });
      await page.clock.install();
      await page.goto(`/queries/${id}`);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("gridcell", { name: "plum" }).waitFor();
      await page.clock.fastForward("03:00");
      await page.getByText(/^Result of \d+ minutes ago$/).waitFor();
      await page.getByRole("tab", { name: "Charts" }).click();
      await page.getByRole("button", { name: "New chart" }).click();
      const title = page.getByRole("textbox", { name: "Title", exact: true });
      await title.fill("Plums");

      // Somebody comes back to the tab later, and the result cannot be fetched again.
      const isAsked = page.waitForEvent("requestfailed", (request) =>
        request.url().includes("queries.findResult"),
      );
      await page.route(/queries\.findResult/, (route) => route.abort());
      await page.clock.fastForward("01:00");
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await isAsked;
      await page.getByText("The connection is lost").waitFor();
      expect(await title.inputValue()).toBe("Plums");
      await page.unroute(/queries\.findResult/);

      await page.getByRole("link", { name: "Back", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Leave with unsaved changes?" });
      await dialog.getByRole("button", { name: "Stay" }).click();
      expect(await title.inputValue()).toBe("Plums");
    },
  );
});

describe("a permalink", () => {
  walkTest(
    "with values and no result runs when somebody asks, and never by being opened",
    async ({ visit, make, deps, worker: _ }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      const query = await make.query(
        owner,
        "SELECT CASE {{name}} WHEN 'Nobody' THEN CAST({{name}} AS INTEGER)::VARCHAR ELSE 'hello ' || {{name}} END AS greeting",
      );
      const parameters = [
        { name: "name", displayName: "Name", type: "string" as const, description: "", defaultValue: "you" },
      ];
      const { shortId } = await createReference(deps, owner, {
        queryId: query.id,
        title: "Greeting",
        parameters,
      });
      const address = `/q/${shortId}?name=Ada`;
      const page = await visit({ as: member, path: address });
      await heading(page, "Greeting");
      await page.getByText("There is no cached result for these values yet.").waitFor();
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Ada");
      expect(await deps.db.prisma.queryRun.count({ where: { queryId: query.id } })).toBe(0);
      await expectAccessible(page);

      await page.getByRole("button", { name: "Run the query" }).click();
      await page.getByRole("gridcell", { name: "hello Ada" }).waitFor();
      expect(new URL(page.url()).search).toBe("?name=Ada");

      // Opening the link again shows the result without another run.
      const other = await visit({ as: owner, path: address, phone: true });
      await other.getByRole("gridcell", { name: "hello Ada" }).waitFor();
      expect(await deps.db.prisma.queryRun.count({ where: { queryId: query.id } })).toBe(1);

      // Enter shows other values, which have another link, by running the query.
      await other.getByLabel("Name", { exact: true }).fill("Grace");
      await other.keyboard.press("Enter");
      await other.getByRole("gridcell", { name: "hello Grace" }).waitFor();
      expect(new URL(other.url()).search).toBe("?name=Grace");
      expect(await deps.db.prisma.queryRun.count({ where: { queryId: query.id } })).toBe(2);

      // Back brings the values of the link before, and drops the message about a run of others.
      await other.getByLabel("Name", { exact: true }).fill("Nobody");
      await other.getByRole("button", { name: "Show these values" }).click();
      await other.getByText("The run failed").waitFor();
      await other.goBack();
      await other.goBack();
      await other.getByRole("gridcell", { name: "hello Ada" }).waitFor();
      expect(await other.getByLabel("Name", { exact: true }).inputValue()).toBe("Ada");
      expect(await other.getByText("The run failed").count()).toBe(0);

      // A value that looks like a number is the text that was written.
      await other.goto(`/q/${shortId}?name=1.10`);
      await other.getByRole("button", { name: "Run the query" }).click();
      await other.getByRole("gridcell", { name: "hello 1.10" }).waitFor();
      expect(new URL(other.url()).search).toBe("?name=1.10");
    },
  );

  walkTest("has its data in the page, without requests to the api", async ({ visit, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1", { title: "At once" });
    const page = await visit({ as: owner });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`/q/${shortId}`);
    await heading(page, "At once");
    await page.getByRole("button", { name: "Run the query" }).waitFor();
    const calls = asked.filter((url) => url.includes("/api/trpc/")).join(" ");
    expect(calls).not.toContain("me.get");
    expect(calls).not.toContain("references.get");
  });
});
