import { standIn, startReceiver } from "@querybell/webhooks/testing";
import { expect, vi } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { webhookWalk } from "../testing/webhook-walk.ts";

webhookWalk(
  "a Slack channel is added and tested; an automation chooses it and tells it of its run",
  async ({ visit, team, make }) => {
    await using slack = await startReceiver(standIn("slack"));
    const texts = () => slack.requests.map(({ body }) => body.toString());
    const automation = await make.automation(team.owner, { name: "Fruits every day" });

    const page = await visit({ as: team.owner, path: "/settings/destinations" });
    await heading(page, "No destinations yet");
    await page.getByRole("link", { name: "Add a destination" }).first().click();
    await page.getByLabel("Name").fill("#fruits");
    await page.getByRole("button", { name: "Add the destination" }).click();
    await page.getByText("Enter the whole address, with https://.").waitFor();
    await page.getByLabel("Webhook URL").fill(`http://127.0.0.1:${slack.port}/services/T0/B0/secret`);
    await page.getByRole("button", { name: "Add the destination" }).click();
    await heading(page, "#fruits");
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("It arrived.").waitFor();
    expect(texts().join()).toContain("A test from Querybell");
    await expectAccessible(page);

    await page.goto(`/automations/${automation.id}/edit`);
    await page.getByRole("combobox", { name: "Add a destination" }).click();
    await page.getByRole("option", { name: "Slack: #fruits" }).click();
    const row = page.getByRole("group", { name: "What is sent to Slack: #fruits" });
    await row.getByLabel("Failed runs").uncheck();
    await row.getByLabel("Each summary").uncheck();
    await page.getByText("Choose what is sent there. Or remove it.").waitFor();
    await row.getByLabel("Each summary").check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save the changes" }).click();
    await page.getByText("Slack: #fruits").waitFor();

    await page.getByRole("button", { name: "Run now" }).click();
    await vi.waitUntil(() => slack.requests.length === 2, { timeout: 60_000 });
    expect(texts()[1]).toContain("Fruits every day");

    // The log names it, shows the message, and never the address.
    await page.goto("/settings/webhooks/deliveries");
    await page.getByRole("listitem").filter({ hasText: "Slack: #fruits" }).first().getByRole("link").click();
    await heading(page, "automation.run.completed");
    await page.getByLabel("the request’s body").getByText("Fruits every day").first().waitFor();
    expect(await page.content()).not.toContain("services/T0");
    await page.getByRole("link", { name: "Slack: #fruits" }).first().click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the destination" }).click();
    await heading(page, "No destinations yet");
  },
);
