import { createPasswordResetLinkAsOperator } from "@querybell/core/operator";
import { executeRun, runQuery } from "@querybell/core/runs";
import { claimOneQueryRun, testPassword } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, signIn, signOut, textOf } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

const test = walkTest.extend("passwordHashes", { scope: "file" }, () => "real" as const);

describe("signing in", () => {
  test("lasts until signing out", async ({ page, make }) => {
    const owner = await make.owner();
    await page.goto("/");
    await heading(page, "Sign in");
    await signIn(page, owner.email);
    await heading(page, `Hello, ${owner.name}`);
    await page.reload();
    await heading(page, `Hello, ${owner.name}`);
    await signOut(page, owner.name);
    await heading(page, "Sign in");
    await page.reload();
    await heading(page, "Sign in");
  });

  test("leads back to the page that was asked for", async ({ page, make }) => {
    const owner = await make.owner();
    await page.goto("/account?from=mail#password");
    await signIn(page, owner.email);
    await heading(page, "Your account");
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/account?from=mail");
  });

  test("never leads to another site", async ({ page, make }) => {
    const owner = await make.owner();
    await page.goto("/sign-in?to=//evil.example/");
    await signIn(page, owner.email);
    await heading(page, `Hello, ${owner.name}`);
  });

  test("shows an error for a wrong password, and can be tried again", async ({ page, make }) => {
    const { email, name } = await make.owner();
    await page.goto("/");
    await signIn(page, email, "not the password");
    await page
      .getByRole("alert")
      .filter({ hasText: "The email address or the password is wrong." })
      .waitFor();
    await expectAccessible(page);
    expect(await page.getByLabel("Email address").inputValue()).toBe(email);
    await signIn(page, email);
    await heading(page, `Hello, ${name}`);
  });

  test("shows which field is missing and focuses it", async ({ page }) => {
    await page.goto("/");
    await signIn(page, "", "");
    const email = page.getByLabel("Email address");
    await page.getByText("Email address is required.").waitFor();
    expect(await email.getAttribute("aria-invalid")).toBe("true");
    expect(await email.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  });

  test("shows that the server and its database are running", async ({ page }) => {
    await page.goto("/");
    await page.getByText("connected, migrations applied").waitFor();
  });

  test("again after a session has ended keeps the input", async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const page = await visit({ as: owner, path: "/account" });
    await page.getByLabel("Current password", { exact: true }).fill(testPassword);
    await page.getByLabel("New password", { exact: true }).fill("another long password");
    await deps.db.prisma.session.deleteMany({ where: { userId: owner.userId } });
    // Not a click of the pointer: the page may have found out already, and its dialog is then above the button.
    await page.locator("button", { hasText: "Change the password" }).dispatchEvent("click");
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByLabel("Password", { exact: true }).fill(testPassword);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("New password", { exact: true }).inputValue()).toBe("another long password");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("Your password is changed.").waitFor();
    await expectAccessible(page);
  });

  test("again during a run, in another than the first organization, keeps the page and shows the run's end", async ({
    visit,
    make,
    deps,
  }) => {
    const [person, { organizationId, ...owner }] = [await make.owner(), await make.owner()];
    const { userId } = person;
    const { prisma } = deps.db;
    const createdAt = deps.clock.now();
    await prisma.member.create({ data: { organizationId, userId, role: "member", createdAt } });
    const query = await make.query({ organizationId, ...owner }, "SELECT 'plum' AS fruit");
    const run = await runQuery(deps, { organizationId, ...owner }, { id: query.id, parameterValues: {} });
    const page = await visit({ as: person });
    await prisma.session.updateMany({ where: { userId }, data: { activeOrganizationId: organizationId } });
    await page.goto(`/queries/${query.id}`);
    await page.getByText("Waiting for a worker…").waitFor();
    const editor = page.getByRole("textbox", { name: "SQL" });
    await editor.click();
    await page.keyboard.insertText("/* mine */");

    // The page notices it without an action: the run is watched.
    await prisma.session.deleteMany({ where: { userId } });
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password", { exact: true }).fill(testPassword);
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    const claimed = await claimOneQueryRun(deps, run.id);
    if (!claimed) throw new Error("The run could not be claimed.");
    await executeRun(deps, claimed, { signal: new AbortController().signal, onError: console.error });
    await page.getByRole("gridcell", { name: "plum" }).waitFor();
    expect(await textOf(editor)).toContain("/* mine */");
  });
});

describe("a forgotten password", () => {
  test("is replaced through a link, once", async ({ page, make, deps }) => {
    const { email, name } = await make.owner();
    const { url } = await createPasswordResetLinkAsOperator(deps, { email });
    await page.goto(url);
    await heading(page, "Set a new password");
    await expectAccessible(page);
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

  test("can be reported without revealing who has an account", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("link", { name: "Forgot password?" }).click();
    await heading(page, "Forgot your password?");
    await page.getByLabel("Email address").fill("nobody@example.test");
    await page.getByRole("button", { name: "Send the link" }).click();
    await heading(page, "Look into your mail");
    await expectAccessible(page);
  });
});
