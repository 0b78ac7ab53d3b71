import { expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, textOf } from "../testing/steps.ts";
import { webhookWalk } from "../testing/webhook-walk.ts";

webhookWalk(
  "a failed delivery is found by filter, explained and resent; the others are recovered",
  async ({ visit, team, receiver }) => {
    const { id, secret } = await team.endpoint(receiver.url);
    receiver.breakWith(500);
    const eventId = await team.emit({ attemptsUsed: 7 });
    for (let others = 0; others < 2; others++) await team.emit({ attemptsUsed: 7 });
    await team.untilAttempts(3, 8);
    receiver.breakWith(undefined);
    receiver.useSecrets(secret.secret);

    // On a phone, as when an admin is on call.
    const page = await visit({ as: team.owner, path: "/settings/webhooks/deliveries", phone: true });
    const rows = page.getByRole("list", { name: "Deliveries" }).getByRole("listitem");
    await rows.nth(2).waitFor();
    await page.getByLabel("State", { exact: true }).selectOption("Succeeded");
    await page.getByText("None matches these filters.").waitFor();
    await page.getByLabel("State", { exact: true }).selectOption("Failed");
    await rows.nth(2).waitFor();
    expect(new URL(page.url()).searchParams.get("state")).toBe("exhausted");
    await page.reload();
    await rows.nth(2).waitFor();
    expect(await page.getByLabel("State", { exact: true }).inputValue()).toBe("exhausted");

    // The list is filtered by the whole id, never by the part that is typed so far.
    const partial: string[] = [];
    page.on("request", (request) => {
      const filter = decodeURIComponent(request.url()).match(/"eventId":"([^"]*)"/);
      if (filter?.[1] && filter[1] !== eventId) partial.push(filter[1]);
    });
    const typed = page.getByLabel("Event id");
    await typed.pressSequentially(eventId.slice(1));
    await typed.press("Home");
    await typed.pressSequentially(eventId.slice(0, 1));
    await rows.nth(1).waitFor({ state: "detached" });
    expect(await typed.inputValue()).toBe(eventId);
    expect(new URL(page.url()).searchParams.get("eventId")).toBe(eventId);
    expect(partial).toEqual([]);
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await rows.nth(2).waitFor();
    expect(await typed.inputValue()).toBe("");
    await page.getByLabel("State", { exact: true }).selectOption("Failed");

    await rows.first().getByRole("link").click();
    await heading(page, "automation.run.failed");
    await page.getByText("Attempt 8: 500").waitFor();
    await page.getByLabel("the response’s body").getByText("broken").waitFor();
    await page.getByLabel("the request’s body").getByText("stopped").waitFor();

    const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    await page.getByLabel("Your receiver’s secret (optional)").fill(other);
    await page.getByRole("button", { name: "Explain the signature" }).click();
    await page.getByText("This secret did not sign the attempt").waitFor();
    await page.getByLabel("Your receiver’s secret (optional)").fill(secret.secret);
    await page.getByRole("button", { name: "Explain the signature" }).click();
    await page.getByText("This secret signed the attempt", { exact: true }).waitFor();
    // Named by its time: a piece of its id could be taken for its last characters.
    await page.getByText(/^Secret of \w+ \d+, \d{4}/).waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Resend" }).click();
    const [resent] = await receiver.until(1);
    await page.getByText("The endpoint answered with 2xx.").waitFor();
    await page.getByText("Resend", { exact: true }).first().waitFor();

    await page.goto(`/settings/webhooks/endpoints/${id}`);
    await page.getByRole("button", { name: "Recover failed events" }).click();
    await page.getByText("2 events failed since then.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Send 2 events again" }).click();
    const all = await receiver.until(3);
    expect(new Set(all.map((delivery) => delivery.id)).size).toBe(3);
    expect(all[0]?.id).toBe(resent?.id);
    await page.getByText("Resends failed events").waitFor();
    await page.getByText("2 succeeded", { exact: true }).waitFor();
    await page.getByText("completed", { exact: true }).waitFor();
    await expectAccessible(page);
  },
);

webhookWalk("a secret is rotated with an overlap, then switched", async ({ visit, team, receiver }) => {
  const { secret } = await team.endpoint(receiver.url);
  const other = await team.endpoint("http://127.0.0.1:9/other");
  const page = await visit({ as: team.owner, path: `/settings/webhooks/endpoints/${other.id}` });
  await heading(page, "127.0.0.1:9/other");
  await page.getByRole("navigation").getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("link", { name: new URL(receiver.url).host }).click();
  await page
    .getByRole("list", { name: "Secrets" })
    .getByText(/^Secret of \w+ \d+, \d{4}/)
    .waitFor();
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate the secret" }).click();
  const next = await textOf(page.locator("code").filter({ hasText: /^whsec_/ }));
  receiver.useSecrets(secret.secret, next);
  await page.getByText("Signs next").waitFor();
  await expectAccessible(page);
  // Another endpoint, without a page between: it does not show this one's secret.
  await page.evaluate("history.go(-2)");
  await heading(page, "127.0.0.1:9/other");
  expect(await page.getByText(next).count()).toBe(0);
  await page.evaluate("history.go(2)");
  await page.getByRole("button", { name: "Switch to the new one now" }).click();
  await page.getByText("Expired", { exact: true }).waitFor();
  receiver.useSecrets(next);
  await team.emit();
  await receiver.until(1);
  await page.reload();
  await page.getByText("Signs now").waitFor();
  expect(await page.getByText(next).count()).toBe(0);
});

webhookWalk("a refused test says that it arrived, and is one attempt", async ({ visit, team, receiver }) => {
  const { id } = await team.endpoint(receiver.url);
  receiver.breakWith(400);
  const page = await visit({ as: team.owner, path: `/settings/webhooks/endpoints/${id}` });
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText("It arrived, but was not accepted. The receiver answered 400").waitFor();
  await page.getByText("1 attempt, last: 400").waitFor();
});

webhookWalk("an admin ends the subscription of a program", async ({ visit, team }) => {
  await team.subscription("https://assistant.example.com/events");
  const page = await visit({ as: team.owner, path: "/settings/webhooks/subscriptions" });
  await page.getByText("automation.run.failed").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "End assistant.example.com/events" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End the subscription" }).click();
  await page.getByText("No subscriptions").waitFor();
});

webhookWalk(
  "an endpoint is edited, disabled, and deleted with what waits for it",
  async ({ visit, team }) => {
    const { id } = await team.endpoint("http://127.0.0.1:9/first");
    const page = await visit({ as: team.owner, path: `/settings/webhooks/endpoints/${id}/edit` });
    await heading(page, "Edit 127.0.0.1:9/first");
    await page.getByLabel("URL", { exact: true }).fill("http://127.0.0.1:9/second");
    await page.getByRole("button", { name: "Add a header" }).click();
    await page.getByLabel("Name of header 1").fill("svc-webhook-id");
    await page.getByLabel("Value of header 1").fill("mine");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").first().waitFor();
    await expectAccessible(page);
    await page.getByLabel("Name of header 1").fill("x-token");
    await page.getByRole("button", { name: "Save" }).click();
    await heading(page, "127.0.0.1:9/second");
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable the endpoint" }).click();
    await page.getByText("An admin disabled it").waitFor();
    await page.getByRole("button", { name: "Enable it" }).click();
    const enabling = page.getByRole("dialog", { name: "Enable the endpoint" });
    await enabling.getByText("Nothing is held for it.").waitFor();
    expect(await enabling.getByRole("radio").count()).toBe(0);
    await page.keyboard.press("Escape");
    await team.emit();
    await page.getByText("1 delivery is held for it").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("1 delivery that waits for it is cancelled.").waitFor();
    await page.getByRole("button", { name: "Delete the endpoint" }).click();
    await page.getByText("No endpoints yet").waitFor();
  },
);
