import { updateQuery } from "@querybell/core/queries";
import { standIn, startReceiver } from "@querybell/webhooks/testing";
import { expect, vi } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { webhookWalk } from "../testing/webhook-walk.ts";

webhookWalk(
  "a condition is written, tried on the past, met, told in Slack, acknowledged, snoozed and resolved",
  async ({ visit, team, make, deps }) => {
    await using slack = await startReceiver(standIn("slack"));
    const { owner } = team;
    const reference = await make.reference(owner, "SELECT 5 AS weight");
    const { shortId } = reference;
    const automation = await make.automation(owner, { name: "Heavy fruits", references: [{ shortId }] });
    const page = await visit({ as: owner, path: "/settings/destinations/new" });
    await page.getByLabel("Name").fill("#fruits");
    await page.getByLabel("Webhook URL").fill(`http://127.0.0.1:${slack.port}/services/T0/B0/secret`);
    await page.getByRole("button", { name: "Add the destination" }).click();
    await page.getByRole("heading", { name: "#fruits" }).waitFor();

    await page.goto(`/automations/${automation.id}/edit`);
    await page.getByRole("radio", { name: "Only if a condition holds" }).check();
    await page.getByRole("button", { name: "Save the changes" }).click();
    await page.getByText("Choose the chart that it is about.").waitFor();
    await page.getByLabel("Chart", { exact: true }).selectOption("Fruits");
    const part = page.getByRole("group", { name: "Part 1 of the condition" });
    await part.getByLabel("Value", { exact: true }).fill("7");
    await page.getByRole("button", { name: "Save the changes" }).click();
    await part.getByText("Must name a column.").waitFor();
    await part.getByLabel("Column", { exact: true }).fill("weight");
    await page.getByRole("button", { name: "Try it on the past" }).click();
    await page.getByText("Nothing is kept of this chart with these values yet").waitFor();
    await page.getByRole("combobox", { name: "Add a destination" }).click();
    await page.getByRole("option", { name: "Slack: #fruits" }).click();
    const row = page.getByRole("group", { name: "What is sent to Slack: #fruits" });
    const choices = ["Each summary", "Failed runs", "Its condition is met", "Its condition is resolved"];
    const isChosen = await Promise.all(choices.map((choice) => row.getByLabel(choice).isChecked()));
    expect(isChosen).toEqual([false, true, true, true]);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save the changes" }).click();

    const panel = page.getByRole("region", { name: "Condition" });
    await panel.getByText("Not judged yet").waitFor();
    const run = async (weight: number, state: string) => {
      const id = reference.currentQuery?.id ?? "";
      await updateQuery(deps, owner, { id, sql: `SELECT ${weight} AS weight` });
      await page.getByRole("button", { name: "Run now" }).click();
      await panel.getByText(state, { exact: true }).first().waitFor({ timeout: 60_000 });
    };
    await run(5, "Not met");
    await run(8, "Met");
    await vi.waitUntil(() => slack.requests.length === 1, { timeout: 60_000 });
    expect(slack.requests[0]?.body.toString()).toContain("The sum of weight is 8, compared with 7");
    await panel.getByRole("button", { name: "Acknowledge" }).click();
    await panel.getByText("It is not told again until it is resolved.").waitFor();
    await panel.getByRole("button", { name: "Snooze" }).click();
    await page.getByRole("menuitem", { name: "For a day" }).click();
    await panel.getByText("People are told nothing until then.").waitFor();
    await panel.getByRole("button", { name: "End the snooze" }).click();
    await panel.getByRole("button", { name: "Snooze" }).waitFor();
    await expectAccessible(page);
    await run(6, "Resolved");
    await vi.waitUntil(() => slack.requests.length === 2, { timeout: 60_000 });
    expect(slack.requests[1]?.body.toString()).toContain("Condition resolved");

    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Try it on the past" }).click();
    await page.getByText(/of the past it would have spoken 2 times/).waitFor();
    await page.getByRole("list", { name: "When it would have spoken" }).getByText("It is met").waitFor();
    await expectAccessible(page);
    await page.goto("/automations");
    await page.getByRole("listitem").filter({ hasText: "Heavy fruits" }).getByText("Resolved").waitFor();
  },
);
