import { createDestination } from "@querybell/core/destinations";
import { deleteEndpoint } from "@querybell/core/webhooks";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { webhookWalk } from "../testing/webhook-walk.ts";

webhookWalk(
  "each value of a column gets its rows: what the form refuses is shown at its fields, and the page lists who was told",
  async ({ visit, team: { owner }, make, deps }) => {
    const slack = (name: string) =>
      createDestination(deps, owner, { kind: "slack", name, url: "http://127.0.0.1:9/hook" });
    const [gone] = [await slack("#gone"), await slack("#north")];
    const { shortId } = await make.reference(owner, "SELECT unnest(['North', 'South']) AS region");
    const automation = await make.automation(owner, { name: "Regions", references: [{ shortId }] });

    const page = await visit({ as: owner, path: "/settings/destinations/new" });
    await page.getByLabel("Where", { exact: true }).selectOption("mail");
    await page.getByLabel("Name", { exact: true }).fill("Managers");
    await page.getByRole("combobox", { name: "Mail addresses" }).fill("board@board.test");
    await page.getByLabel("Automations may also write to addresses").check();
    await page.getByRole("combobox", { name: "All addresses of these domains" }).fill("not-ours.test");
    await page.getByRole("button", { name: "Add the destination" }).click();
    const domains = page.getByRole("group", { name: "Addresses from rows" });
    await domains.getByText("has not proven to own not-ours.test").waitFor();

    await page.goto(`/automations/${automation.id}/edit`);
    const recipients = page.getByRole("group", { name: "Each person their rows" });
    await recipients.getByLabel("A destination for each value of a column").check();
    await recipients.getByLabel("Rows of").selectOption("Fruits");
    await recipients.getByLabel("Column of the values").fill("region");
    const choice = recipients.getByRole("group", { name: "Value 1" });
    await choice.getByLabel("Rows with").fill("North");
    await choice.getByLabel("Go to").selectOption("Slack: #gone");
    await deleteEndpoint(deps, owner, gone);
    await page.getByRole("button", { name: "Save the changes" }).click();
    await choice.getByText("There is no such destination").waitFor();
    await choice.getByLabel("Go to").selectOption("Slack: #north");
    await page.getByRole("button", { name: "Save the changes" }).click();
    await heading(page, "Regions");

    await page.getByRole("button", { name: "Run now" }).click();
    const told = page.getByRole("list", { name: "Recipients told" });
    await told.getByText("North").waitFor({ timeout: 60_000 });
    await page.getByRole("list", { name: "Recipients left out" }).getByText("South").waitFor();
    await expectAccessible(page);
    await told.getByRole("link", { name: "1 row for North" }).click();
    await heading(page, "Deliveries");
    await page.getByRole("listitem").filter({ hasText: "Slack: #north" }).waitFor();
  },
);
