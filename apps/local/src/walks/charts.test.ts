import { createReference, updateReference } from "@querybell/core/references";
import { runQuery } from "@querybell/core/runs";
import { execute } from "@querybell/core/testing";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

const sql = `SELECT (DATE '2026-01-01' + INTERVAL (m) MONTH)::DATE AS month, team, 1000000.25 * (m + 1) * length(team) AS revenue,
  0.1 + m / 100.0 AS margin_rate FROM range(6) t(m), (VALUES ('North'), ('South-East')) AS teams(team) ORDER BY 1, 2`;

async function choose(page: Page, field: string, option: string) {
  await page.getByRole("combobox", { name: field, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

walkTest(
  "a chart is built without text, keeps its settings, is read by keyboard, and becomes a picture and a table",
  async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, sql, { engine: "duckdb" });
    const run = await runQuery(deps, owner, { id, parameterValues: {} });
    await execute(deps, run.id);
    const { shortId } = await createReference(deps, owner, { queryId: id, title: "Revenue of teams" });
    const page = await visit({ as: owner, path: `/q/${shortId}/edit` });
    const preview = page.getByRole("region", { name: "Preview" });

    // Long data is split by its names. Another type keeps that, and brings back what a pie has no place for.
    await preview.getByText("South-East", { exact: true }).first().waitFor();
    await preview.getByText("Mar 2026").first().waitFor();
    await choose(page, "Values as", "Euros");
    await preview.getByText("€20M").first().waitFor();
    await page.getByLabel("Title of the values").fill("Revenue");
    await choose(page, "Type", "Pie");
    await choose(page, "Type", "Bars");
    expect(await page.getByRole("combobox", { name: "Split by" }).inputValue()).toBe("team");
    expect(await page.getByRole("combobox", { name: "Values as", exact: true }).inputValue()).toBe("Euros");
    expect(await page.getByLabel("Title of the values").inputValue()).toBe("Revenue");
    await page.getByLabel("Goal", { exact: true }).fill("30000000");
    await page.getByLabel("Name of the goal").fill("Goal");
    await preview.getByText("Goal €30M").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/\/q\/\w+$/);

    // A second window that was opened before does not replace what was saved in the first one.
    const second = await visit({ as: owner, path: `/q/${shortId}/edit` });
    await second.getByLabel("Title", { exact: true }).fill("From the second");
    await updateReference(deps, owner, { shortId, description: "Changed meanwhile" });
    await second.getByRole("button", { name: "Save", exact: true }).click();
    const notice = second.getByRole("alert").filter({ hasText: "Not saved: the chart was saved in another" });
    await notice.getByRole("link", { name: "See theirs" }).waitFor();
    await expectAccessible(second);
    await second.getByLabel("Title", { exact: true }).fill("Revenue of teams");
    await notice.getByRole("button", { name: "Save mine" }).click();
    await second.waitForURL(/\/q\/\w+$/);
    await second.close();

    // The arrow keys read the chart: the exact values, the largest first, and their total.
    const chart = page.getByRole("group", { name: "Chart: Revenue of teams" });
    await chart.getByRole("application").focus();
    await page.keyboard.press("ArrowRight");
    const read = chart.getByRole("status");
    await read
      .filter({ hasText: "Jan 2026, South-East €10,000,002.50, North €5,000,001.25, Total €15,000,003.75" })
      .waitFor();
    expect(await chart.getByRole("table").getByRole("row").count()).toBe(7);
    await expectAccessible(page);

    await page.getByRole("button", { name: "Picture" }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "PNG", exact: true }).click();
    expect((await downloading).suggestedFilename()).toMatch(/^Revenue of teams \d{4}-\d\d-\d\d\.png$/);

    // As a table: a pivot table with totals, whose numbers are not cut.
    await page.goto(`/q/${shortId}/edit`);
    await choose(page, "Type", "Table");
    await page.getByRole("combobox", { name: "A row for each" }).click();
    await page.getByRole("option", { name: "month" }).click();
    await page.keyboard.press("Escape");
    await choose(page, "A column for each", "team");
    await choose(page, "Values", "revenue");
    await page.getByRole("button", { name: "More about North" }).click();
    await choose(page, "Total", "Sum");
    await choose(page, "Values as", "Euros");
    await page.getByRole("gridcell", { name: "Sum €105,000,026.25" }).waitFor();

    // A width is chosen in its field or with the keys of the heading, and is automatic again.
    const width = page.getByLabel("Width in pixels");
    await width.fill("300");
    const heading = page.getByRole("columnheader", { name: "North" }).getByRole("button");
    await heading.press("Shift+ArrowRight");
    expect(await width.inputValue()).toBe("316");
    await heading.press("Shift+Home");
    expect(await width.inputValue()).toBe("");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/\/q\/\w+$/);
    await page.getByRole("columnheader", { name: "South-East" }).waitFor();
    await page.getByRole("gridcell", { name: "Sum €105,000,026.25" }).waitFor();
  },
);
