import { claimRun, completeClaimedRun, reportStep, triggerAutomation } from "@querybell/core/automations";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, signIn } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

describe("a chat's permalink", () => {
  walkTest(
    "asks a member to sign in, then shows the chat live until its end",
    async ({ page, make, deps }) => {
      const owner = await make.owner();
      const automation = await make.automation(owner, { agent: "external" });
      const { id, chatUrl } = await triggerAutomation(deps, owner, automation);
      await page.goto(chatUrl);
      await signIn(page, owner.email);
      await heading(page, automation.name);
      await page.getByText(automation.instruction).waitFor();
      await page.getByText("Waiting for an agent").waitFor();
      const claim = await claimRun(deps, owner, { leaseSeconds: 60 });
      const claimed = { runId: id, claimNumber: claim?.claimNumber ?? 0 };
      const step = { kind: "message", name: "thought", state: "completed", text: "I have seen it." } as const;
      await reportStep(deps, owner, { ...claimed, step });
      await page.getByText("I have seen it.").waitFor();
      await completeClaimedRun(deps, owner, { ...claimed, summary: "All is well." });
      await page.getByText("All is well.").waitFor();
      await page.getByText("Completed").waitFor();
      const summary = page.getByRole("region", { name: "Summary" });
      await summary.getByText("Not checked by Querybell").waitFor();
      await expectAccessible(page);
      await page.goto(`/automations/${automation.id}`);
      await page.getByText("Not checked by Querybell").waitFor();
      await page.goto("/automations");
      await page.getByText("Not checked by Querybell").waitFor();
      await page.goto("/");
      const latest = page.getByRole("region", { name: "Latest summaries" });
      await latest.getByText("Not checked by Querybell").waitFor();
    },
  );

  walkTest("shows nothing to a member of another organization", async ({ page, make, deps }) => {
    const owner = await make.owner();
    const { chatUrl } = await triggerAutomation(deps, owner, await make.automation(owner));
    await page.goto(chatUrl);
    await signIn(page, (await make.owner()).email);
    await page.getByText("There is no such run").waitFor();
    expect((await page.reload())?.status()).toBe(404);
    await heading(page, "There is nothing here");
  });

  walkTest("offers a member of both organizations to switch", async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const automation = await make.automation(owner);
    const { chatUrl } = await triggerAutomation(deps, owner, automation);
    const other = await make.owner();
    const { organizationId } = owner;
    await deps.db.prisma.member.create({
      data: { organizationId, userId: other.userId, role: "member", createdAt: deps.clock.now() },
    });
    const page = await visit({ as: other });
    await deps.db.prisma.session.updateMany({
      where: { userId: other.userId },
      data: { activeOrganizationId: other.organizationId },
    });
    expect((await page.goto(chatUrl))?.status()).toBe(200);
    await page.getByRole("button", { name: "Switch to" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Switch to" }).click();
    await heading(page, automation.name);
  });
});
