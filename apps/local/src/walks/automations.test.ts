import { claimRun, completeClaimedRun, triggerAutomation } from "@querybell/core/automations";
import { createReference } from "@querybell/core/references";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

/** A statement that waits until the test opens the gate. */
const test = walkTest.extend("gate", async ({ deps }, { onCleanup }) => {
  const holder = await deps.db.pool.connect();
  onCleanup(() => holder.release(true));
  await holder.query("SELECT pg_advisory_lock(1)");
  return {
    sql: "SELECT 'pears' AS fruit, 5 AS weight, pg_advisory_xact_lock_shared(1)::text AS gate",
    open: () => holder.query("SELECT pg_advisory_unlock(1)"),
  };
});

/** Runs in the page. The time zones of Firefox and Safari include UTC, those of Chromium do not. */
const listUtcAsFirefox = () => {
  const zones = Intl.supportedValuesOf("timeZone");
  Intl.supportedValuesOf = () => [...zones, "UTC"];
};

describe("an automation", () => {
  test("is made with a schedule, run, watched in its chat, stopped, and run to its summary", async ({
    visit,
    make,
    gate,
    worker,
  }) => {
    expect(worker).toBeDefined();
    const owner = await make.owner();
    await make.reference(owner, gate.sql, { engine: "postgres", title: "Fruits in store" });
    const page = await visit({ as: owner });
    await using _ = await page.addInitScript(listUtcAsFirefox);
    await page.goto("/automations");
    await heading(page, "Nothing runs by itself yet");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Make the first automation" }).click();
    await heading(page, "New automation");

    // The form names the missing fields and keeps the input.
    await page.getByLabel("Name").fill("The store every weekday");
    await page.getByRole("button", { name: "Make the automation" }).click();
    await page.getByText("Say what it is for.").waitFor();
    await page.getByText("Choose at least one chart.").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("The store every weekday");

    await page.getByLabel("Instruction").fill("Say what lies in the store.");
    await page.getByRole("combobox", { name: "Choose a chart" }).fill("fruits sto");
    await page.getByRole("option", { name: "Fruits in store" }).click();
    await page.getByLabel("How often").selectOption("As a cron expression");
    await page.getByLabel("Cron expression").fill("0 0 30 2 *");
    await page.getByText("never fires").waitFor();
    await page.getByLabel("How often").selectOption("From Monday to Friday");
    await page.getByLabel("At", { exact: true }).fill("");
    await page.getByRole("button", { name: "Make the automation" }).click();
    await page.getByText("Give a time.").waitFor();
    await page.getByLabel("At", { exact: true }).fill("07:30");
    await page.getByRole("listitem").filter({ hasText: "07:30" }).first().waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Make the automation" }).click();
    await heading(page, "The store every weekday");
    await page.getByText("From Monday to Friday at 07:30").first().waitFor();

    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("link", { name: "Watch the chat" }).click();
    await heading(page, "Fruits in store");
    await page.getByText("Running. What it finds appears here by itself.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Somebody stopped it before it was done.").waitFor();
    await page.getByRole("link", { name: "All runs of this automation" }).click();
    await page.getByRole("listitem").filter({ hasText: "Stopped" }).waitFor();

    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("link", { name: "Watch the chat" }).click();
    await heading(page, "Fruits in store");
    await gate.open();
    await heading(page, "Summary");
    await page.getByRole("cell", { name: "pears" }).waitFor();

    await page.goto("/automations");
    await page.getByRole("listitem").filter({ hasText: "Completed" }).waitFor();
    await page.getByRole("link", { name: "The store every weekday" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the automation" }).click();
    await heading(page, "Nothing runs by itself yet");
  });

  test("is tried before it is saved: the summary and the steps are shown, and nothing else happens", async ({
    visit,
    make,
    deps,
    worker,
  }) => {
    expect(worker).toBeDefined();
    const owner = await make.owner();
    await make.reference(owner, "SELECT 'pears' AS fruit, 5 AS weight", { title: "Fruits in store" });
    const page = await visit({ as: owner, path: "/automations/new" });
    await heading(page, "New automation");
    await page.getByRole("button", { name: "Try now" }).click();
    await page.getByText("Choose at least one chart.").waitFor();
    await page.getByLabel("Name").fill("The store");
    await page.getByLabel("Instruction").fill("Say what lies in the store.");
    await page.getByRole("combobox", { name: "Choose a chart" }).fill("fruits sto");
    await page.getByRole("option", { name: "Fruits in store" }).click();
    await page.getByRole("button", { name: "Try now" }).click();
    const trial = page.getByRole("region", { name: "Trial" });
    await trial.getByText('"Fruits in store": weight is 5.').waitFor();
    await trial.getByRole("cell", { name: "pears" }).waitFor();
    await trial.getByText("A trial, of which nobody is told.").waitFor();
    await expectAccessible(page);
    await page.getByRole("radio", { name: "External" }).check();
    await trial.getByText("An external agent cannot be tried").waitFor();
    const { organizationId } = owner;
    expect(await deps.db.prisma.webhookEvent.count({ where: { organizationId } })).toBe(0);
    expect(await deps.db.prisma.notification.count({ where: { userId: owner.userId } })).toBe(0);
  });

  test("is edited in a form that has its current values", async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT name FROM fruits WHERE name IN ({{kinds}})");
    const { shortId } = await createReference(deps, owner, {
      queryId,
      parameters: [{ name: "kinds", displayName: "Kinds", type: "string[]", description: "" }],
    });
    const automation = await make.automation(owner, {
      references: [{ shortId, parameterValues: { kinds: ["apple", "pear"] } }],
      schedule: { cron: "*/5 9-17 * * *", timeZone: "Asia/Tokyo" },
    });
    const page = await visit({ as: owner });
    await page.goto(`/automations/${automation.id}/edit`);
    await heading(page, `Edit ${automation.name}`);
    expect(await page.getByLabel("Kinds").inputValue()).toBe("apple, pear");
    expect(await page.getByLabel("Cron expression").inputValue()).toBe("*/5 9-17 * * *");
    await page.getByLabel("Kinds").fill("");
    await page.getByRole("button", { name: "Save the changes" }).click();
    // The error is at the field, in the words of its label, and above the button with the name of the reference.
    await page.getByText("Kinds is required.").waitFor();
    await page.getByText("Correct the values of “Untitled query”.").waitFor();
    await page.getByLabel("Kinds").fill("apple, pear");
    // Key by key: the first ones are less than the field takes.
    const minutes = page.getByLabel("Time limit in minutes");
    await minutes.fill("");
    await minutes.pressSequentially("0.5");
    expect(await minutes.inputValue()).toBe("0.5");
    await page.getByLabel("Name").fill("Renamed");
    await page.getByRole("navigation").getByRole("link", { name: "Queries" }).click();
    const dialog = page.getByRole("dialog", { name: "Leave with unsaved changes?" });
    await dialog.getByText("What you have changed here is lost.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Stay" }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("Renamed");
    await page.getByRole("button", { name: "Save the changes" }).click();
    await heading(page, "Renamed");
    await page.getByText("kinds: apple, pear").waitFor();
    await page.getByText("30 s", { exact: true }).waitFor();
    await page.getByText("*/5 9-17 * * * in Asia/Tokyo").first().waitFor();
  });
});

describe("a notification of a run", () => {
  test("arrives without a reload and leads to the chat; the person turns the kind off", async ({
    visit,
    make,
    deps,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const automation = await make.automation(owner, {
      agent: "external",
      subscribers: [{ userId: member.userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
    });
    const end = async (summary: string) => {
      const { id } = await triggerAutomation(deps, owner, automation);
      const claim = await claimRun(deps, owner, { leaseSeconds: 60 });
      await completeClaimedRun(deps, owner, { runId: id, claimNumber: claim?.claimNumber ?? 0, summary });
    };
    const page = await visit({ as: member, path: "/account/notifications", phone: true });
    await heading(page, "An automation’s summary");
    await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
    await end("Three pears.");
    await page.getByRole("button", { name: "Notifications, 1 unread" }).click();
    await page.getByRole("link", { name: "Three pears." }).click();
    // Exactly: the page before has headings with this word.
    await page.getByRole("heading", { name: "Summary", exact: true }).waitFor();

    await page.goto("/account/notifications");
    const summaries = page.getByRole("region", { name: "An automation’s summary" });
    // Not `uncheck`: the switch follows its state, which changes a moment after the click.
    await summaries.getByLabel("In the app").click();
    await page.getByText("Saved.").waitFor();
    await page.reload();
    await summaries.getByLabel("In the app").waitFor();
    expect(await summaries.getByLabel("In the app").isChecked()).toBe(false);
    await end("Four pears.");
    expect(await deps.db.prisma.notification.count({ where: { userId: member.userId } })).toBe(1);
  });
});
