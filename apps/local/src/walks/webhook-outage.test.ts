import { expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, textOf } from "../testing/steps.ts";
import { webhookWalk } from "../testing/webhook-walk.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** The delays between the eight attempts, with the maximum jitter. */
const waits = [30 * second, 2 * minute, 8 * minute, 32 * minute, 2 * hour, 8.5 * hour, 24 * hour].map(
  (wait) => wait * 1.1,
);

webhookWalk(
  "an endpoint is created, breaks until it is disabled, and gets what was held once it is enabled",
  async ({ visit, team, clock, receiver }) => {
    const page = await visit({ as: team.owner, path: "/settings/webhooks" });
    await page.getByText("No endpoints yet").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Create an endpoint" }).first().click();
    await heading(page, "Create an endpoint");

    // The form keeps the refused input.
    await page.getByLabel("URL", { exact: true }).fill("http://10.0.0.1/hook");
    await page.getByRole("button", { name: "Create the endpoint" }).click();
    await page
      .getByText(/must begin with https|https/)
      .first()
      .waitFor();
    expect(await page.getByLabel("URL", { exact: true }).inputValue()).toBe("http://10.0.0.1/hook");
    await expectAccessible(page);

    await page.getByLabel("URL", { exact: true }).fill(receiver.url);
    await page.getByRole("button", { name: "Add a condition on the data" }).click();
    await page.getByRole("combobox", { name: "Field of condition 1" }).fill("reason");
    await page.getByLabel("Comparison of condition 1").selectOption("contains");
    await page.getByLabel("Value of condition 1").fill("stopped");
    await page.getByRole("button", { name: "Create the endpoint" }).click();
    await heading(page, "The endpoint is created");
    const secret = await textOf(page.locator("code").filter({ hasText: /^whsec_/ }));
    await page.getByRole("button", { name: "Copy the secret" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
    await page.getByRole("tab", { name: "Fastify" }).click();
    await page.getByText('"@querybell/webhook-receiver/fastify"').waitFor();
    await expectAccessible(page);
    receiver.useSecrets(secret);
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByText("It arrived.").waitFor();
    expect(
      await page.evaluate("JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }])"),
    ).not.toContain(secret);

    await page.getByRole("link", { name: "Go to the endpoint" }).click();
    await page.getByRole("list", { name: "Filter" }).getByText("reason contains stopped").waitFor();
    await team.emit();
    await receiver.until(2);
    await page.getByRole("list", { name: "Deliveries" }).getByText("Succeeded").nth(1).waitFor();

    receiver.breakWith(500);
    for (let event = 0; event < 5; event++) await team.emit();
    for (const [index, wait] of waits.entries()) {
      await team.untilAttempts(5, index + 1);
      await clock.advance(wait);
    }
    // Without a reload, the page and the bell show it.
    await page.getByText("This endpoint is disabled").waitFor();
    await page.getByText(/Five events in a row used up all their attempts/).waitFor();
    await page.getByRole("button", { name: /^Notifications, \d+ unread$/ }).click();
    await page
      .getByText(/disabled/i)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await expectAccessible(page);

    await team.emit();
    await page.getByText("1 delivery is held for it").waitFor();
    receiver.breakWith(undefined);
    await page.getByRole("button", { name: "Enable it" }).click();
    const dialog = page.getByRole("dialog", { name: "Enable the endpoint" });
    await dialog.getByText("What happens to the 1 delivery held?").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Enable the endpoint" }).click();
    const arrived = await receiver.until(3);
    expect(new Set(arrived.map(({ id }) => id)).size).toBe(3);
    await page.getByText("Delivers held events").waitFor();
    await page.getByText("1 succeeded", { exact: true }).waitFor();
    await page.getByRole("main").getByText("Enabled", { exact: true }).waitFor();
  },
);
