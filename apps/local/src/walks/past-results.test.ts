import { keepResults } from "@querybell/core/past-results";
import { getRun, runQuery } from "@querybell/core/runs";
import { expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

walkTest(
  "the page of a chart shows its past results: by slider, list and address, and one number of each",
  async ({ visit, make, deps, worker: _ }) => {
    const owner = await make.owner();
    const reference = await make.reference(
      owner,
      "SELECT 'place ' || n AS place, (random() * 1000000000)::bigint AS amount FROM generate_series(1, 3) t(n)",
    );
    const id = reference.currentQuery?.id ?? "";
    const amounts: string[] = [];
    for (let runs = 0; runs < 3; runs++) {
      const run = await runQuery(deps, owner, { id, parameterValues: {} });
      await expect.poll(async () => (await getRun(deps, owner, run)).status).toBe("completed");
    }
    // A worker would do it a minute later.
    const clock = { now: () => new Date(Date.now() + 120_000) };
    await keepResults({ ...deps, clock });
    const kept = await deps.db.prisma.pastResult.findMany({
      where: { queryId: id },
      orderBy: { completedAt: "asc" },
    });
    expect(kept.length).toBe(3);
    for (const { figures } of kept) amounts.push(JSON.stringify(figures).match(/"first":"(\d+)"/)?.[1] ?? "");

    const page = await visit({ as: owner, path: `/q/${reference.shortId}` });
    const cell = (amount: string | undefined) =>
      page.getByRole("gridcell", { name: Number(amount).toLocaleString("en-US"), exact: true });
    await cell(amounts[2]).waitFor();
    await page.getByRole("button", { name: "Past results" }).click();
    const panel = page.getByRole("region", { name: "Past results" });
    const slider = panel.getByRole("slider", { name: "Moment" });
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL(/at=/);
    await cell(amounts[1]).waitFor();
    await panel.getByRole("combobox", { name: "Over time" }).click();
    await page.getByRole("option", { name: "amount" }).click();
    await panel.getByRole("group", { name: "One number of each past result" }).waitFor();
    await panel.getByRole("cell", { name: amounts[0] ?? "", exact: true }).waitFor();
    await expectAccessible(page);
    // The address alone shows the same moment to somebody else.
    await page.reload();
    await cell(amounts[1]).waitFor();
    await panel.getByRole("button", { name: "Show", exact: true }).last().click();
    await cell(amounts[0]).waitFor();
    const file = await page.request.get(`/api/runs/${kept[0]?.runId}/past-result.csv`);
    expect(await file.text()).toContain(`place 1,${amounts[0]}`);
    // Compared with the newest of the list: all amounts differ, and the places are found again.
    await panel.getByRole("button", { name: "Compare", exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name: "Compared with the result that is shown" });
    await dialog.getByText("3 changed", { exact: true }).waitFor();
    await dialog.getByText("Found: place").waitFor();
    await dialog.getByRole("cell", { name: `${amounts[0]} ${amounts[2]}` }).waitFor();
    await expectAccessible(page);
    const differences = await page.request.get(
      (await dialog.getByRole("link", { name: "CSV" }).getAttribute("href")) ?? "",
    );
    expect(await differences.text()).toContain(`changed,place 1,${amounts[2]},${amounts[0]}`);
    await page.keyboard.press("Escape");
    await panel.getByRole("button", { name: "Show the newest" }).click();
    await cell(amounts[2]).waitFor();
    expect(new URL(page.url()).search).toBe("");
    await page.goto(`/q/${reference.shortId}?at=2020-01-01T00:00:00Z`);
    await page.getByText("No result of that time or before is kept.").waitFor();
  },
);
