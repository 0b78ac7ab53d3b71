import { createInvitation } from "@querybell/core/invitations";
import { testPassword } from "@querybell/core/testing";
import { describe } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

describe("an invitation", () => {
  walkTest("creates an account for a new person and signs them in", async ({ page, make, deps }) => {
    const owner = await make.owner();
    const email = `new-${owner.userId}@example.test`;
    const { link } = await createInvitation(deps, owner, { email, role: "member" });
    await page.goto(link.url);
    await page.getByText(email, { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("Password", { exact: true }).fill("a long password");
    await page.getByRole("button", { name: "Create account and join" }).click();
    await heading(page, "Hello, Ada");
    await page.goto(link.url);
    await heading(page, "This did not work");
    await expectAccessible(page);
  });

  walkTest("lets a person with an account sign in and join at once", async ({ page, make, deps }) => {
    const owner = await make.owner();
    const { email, name } = await make.user();
    const { link } = await createInvitation(deps, owner, { email, role: "admin" });
    await page.goto(link.url);
    await page.getByRole("button", { name: `${email} has an account: sign in` }).click();
    await page.getByLabel("Password", { exact: true }).fill(testPassword);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign in and join" }).click();
    await heading(page, `Hello, ${name}`);
  });

  walkTest("with an incomplete link says so", async ({ page }) => {
    await page.goto("/invitation");
    await heading(page, "This link is incomplete");
  });
});
