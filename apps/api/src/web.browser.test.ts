import {
  claimRun,
  completeClaimedRun,
  createInvitation,
  createPasswordResetLinkAsOperator,
  reportStep,
  triggerAutomation,
} from "@querybell/core";
import { testPassword } from "@querybell/testkit";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { browserTest } from "./testing/browser-test.ts";

async function signIn(page: Page, email: string, password = testPassword) {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function signOut(page: Page, name: string) {
  await page.getByRole("button", { name: `Your menu, ${name}` }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();

describe("the start page", () => {
  browserTest("signs somebody in, keeps them signed in, and signs them out", async ({ page, make }) => {
    const owner = await make.owner();
    await page.goto("/");
    await signIn(page, owner.email);
    await heading(page, `Hello, ${owner.name}`);
    await page.reload();
    await heading(page, `Hello, ${owner.name}`);
    expect(await page.getByText("(owner)").count()).toBe(1);
    await signOut(page, owner.name);
    await heading(page, "Sign in");
    await page.reload();
    await heading(page, "Sign in");
  });

  browserTest("says so when the password is wrong, and lets one try again", async ({ page, make }) => {
    const { email, name } = await make.owner();
    await page.goto("/");
    await signIn(page, email, "not the password");
    await page
      .getByRole("alert")
      .filter({ hasText: "The email address or the password is wrong." })
      .waitFor();
    await signIn(page, email);
    await heading(page, `Hello, ${name}`);
  });

  browserTest("says what is missing beside the field and goes there", async ({ page }) => {
    await page.goto("/");
    await signIn(page, "", "");
    const email = page.getByLabel("Email address");
    await page.getByText("Email address is needed.").waitFor();
    expect(await email.getAttribute("aria-invalid")).toBe("true");
    expect(await email.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  });

  browserTest("shows that the server and its database are running", async ({ page }) => {
    await page.goto("/");
    await page.getByText("connected, migrations applied").waitFor();
  });
});

describe("an invitation", () => {
  browserTest("makes an account for somebody new and signs them in", async ({ page, make, deps }) => {
    const owner = await make.owner();
    const email = `new-${owner.userId}@example.test`;
    const { link } = await createInvitation(deps, owner, { email, role: "member" });
    await page.goto(link.url);
    await page.getByText(email, { exact: true }).waitFor();
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("Password", { exact: true }).fill("a long password");
    await page.getByRole("button", { name: "Create account and join" }).click();
    await heading(page, "Hello, Ada");
    await page.getByText("(member)").waitFor();
    await page.goto(link.url);
    await heading(page, "This did not work");
  });

  browserTest("lets somebody with an account sign in and join at once", async ({ page, make, deps }) => {
    const owner = await make.owner();
    const { email, name } = await make.user();
    const { link } = await createInvitation(deps, owner, { email, role: "admin" });
    await page.goto(link.url);
    await page.getByRole("button", { name: `${email} has an account: sign in` }).click();
    await page.getByLabel("Password", { exact: true }).fill(testPassword);
    await page.getByRole("button", { name: "Sign in and join" }).click();
    await heading(page, `Hello, ${name}`);
    await page.getByText("(admin)").waitFor();
  });

  browserTest("that was cut off in copying says so", async ({ page }) => {
    await page.goto("/invitation");
    await heading(page, "This link is incomplete");
  });
});

describe("a forgotten password", () => {
  browserTest("is replaced through a link, once", async ({ page, make, deps }) => {
    const { email, name } = await make.owner();
    const { url } = await createPasswordResetLinkAsOperator(deps, { email });
    await page.goto(url);
    await page.getByLabel("New password", { exact: true }).fill("another long password");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByRole("link", { name: "Sign in with the new password" }).click();
    await signIn(page, email, "another long password");
    await heading(page, `Hello, ${name}`);

    await page.goto(url);
    await page.getByLabel("New password", { exact: true }).fill("yet another password");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByRole("alert").filter({ hasText: "This link has been used already" }).waitFor();
  });

  browserTest("can be reported without learning who has an account", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("link", { name: "Forgot password?" }).click();
    await page.getByLabel("Email address").fill("nobody@example.test");
    await page.getByRole("button", { name: "Send the link" }).click();
    await heading(page, "Look into your mail");
  });
});

describe("other addresses", () => {
  browserTest("open the docs, each by its own address", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("navigation").getByRole("link", { name: "Docs" }).click();
    await heading(page, "Docs");
    const links = await page.getByRole("article").getByRole("link").all();
    for (const address of await Promise.all(links.map((one) => one.getAttribute("href")))) {
      await page.goto(address ?? "");
      expect(await page.locator("article h1").count(), address ?? "").toBe(1);
    }
  });

  browserTest("fit a narrow phone without scrolling sideways", async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 640 });
    for (const address of [
      "/",
      "/forgot-password",
      "/invitation",
      "/reset-password#token",
      "/nowhere",
      "/docs/",
    ]) {
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth"), address).toBe(360);
    }
  });

  browserTest("lead back when there is nothing there", async ({ page }) => {
    const answer = await page.goto("/nowhere");
    expect(answer?.headers()["content-type"]).toContain("text/html");
    await heading(page, "There is nothing here");
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await heading(page, "Sign in");
  });
});

describe("a chat's permalink", () => {
  browserTest(
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
    },
  );

  browserTest("shows nothing to somebody of another organization", async ({ page, make, deps }) => {
    const owner = await make.owner();
    const { chatUrl } = await triggerAutomation(deps, owner, await make.automation(owner));
    await page.goto(chatUrl);
    await signIn(page, (await make.owner()).email);
    await page.getByText("There is no such run").waitFor();
  });
});
