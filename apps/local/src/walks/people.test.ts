import { nextTotpCode, queuedMailsTo, startOidcProvider, testPassword } from "@querybell/core/testing";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";

import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, signIn, signOut, textOf } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

/** A device with a platform authenticator that always verifies its person. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { remove: () => devtools.send("WebAuthn.disable") };
}

const setUpPasskey = async (page: Page, name: string) => {
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByLabel("Name of the passkey").fill(name);
  await page.getByLabel("Current password, for the second factor").fill(testPassword);
  await page.getByRole("button", { name: "Create the passkey" }).click();
  await page.getByText("Your recovery codes").waitFor();
};

describe("people", () => {
  walkTest(
    "set up codes of an app, sign in with them, and confirm before a dangerous act",
    async ({ visit, make, deps, clock }) => {
      const owner = await make.owner();
      const other = await visit({ as: owner });
      const page = await visit({ as: owner, path: "/account" });
      await page.getByRole("list", { name: "Sessions" }).getByText("This browser").waitFor();
      await page.getByRole("button", { name: "Set up codes of an app" }).click();
      await page.getByLabel("Current password, for the second factor").fill("not the password");
      await page.getByRole("button", { name: "Show the QR code" }).click();
      await page.getByText("Is wrong.", { exact: true }).waitFor();
      await page.getByLabel("Current password, for the second factor").fill(testPassword);
      await page.getByRole("button", { name: "Show the QR code" }).click();
      await page.getByRole("img", { name: "QR code of the secret" }).waitFor();
      await expectAccessible(page);
      const secret = (await textOf(page.getByRole("group", { name: "the secret" }))).trim();
      await page.getByLabel("Code of the app").fill(nextTotpCode(secret, clock));
      await page.getByRole("button", { name: "Turn on codes" }).click();
      const codes = (await textOf(page.getByRole("group", { name: "the recovery codes" })))
        .trim()
        .split("\n");
      expect(codes).toHaveLength(10);
      await expectAccessible(page);
      await page.getByRole("button", { name: "I have stored them" }).click();
      await other.goto("/");
      await heading(other, "Sign in");

      await signOut(page, owner.name);
      await heading(page, "Sign in");
      await signIn(page, owner.email);
      const code = page.getByLabel("Code of your app, or a recovery code");
      await code.fill("000000");
      await page.getByRole("button", { name: "Send the code" }).click();
      await page.getByText("This code is wrong, or was used before.").waitFor();
      await expectAccessible(page);
      await code.fill(codes[0] ?? "");
      await page.getByRole("button", { name: "Send the code" }).click();
      await heading(page, `Hello, ${owner.name}`);
      expect((await queuedMailsTo(deps, owner.email)).at(-1)?.text).toContain("9 are left");
      // The wrong code was a failed attempt.
      await page.getByText("1 failed attempt to sign in as you").waitFor();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Dismiss", exact: true }).click();
      await page.getByText("1 failed attempt to sign in as you").waitFor({ state: "detached" });

      await clock.advance(11 * 60_000);
      await page.goto("/settings/sign-in");
      await page.getByLabel("Everybody").check();
      await page.getByRole("button", { name: "Save who needs it" }).click();
      const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
      await dialog.waitFor();
      await expectAccessible(page);
      await dialog.getByLabel("Code of your app, or a recovery code").fill(nextTotpCode(secret, clock));
      await dialog.getByRole("button", { name: "Confirm with the code" }).click();
      await page.getByText("Saved.").waitFor();
    },
  );

  walkTest(
    "who have no second factor that is demanded set up a passkey, and sign in with it",
    async ({ visit, make, deps }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      const page = await visit({ as: member, path: "/", phone: true });
      await heading(page, `Hello, ${member.name}`);
      await deps.db.prisma.organization.update({
        where: { id: owner.organizationId },
        data: { secondFactorFor: "everybody" },
      });
      await page.reload();
      await page.getByRole("heading", { name: /demands a second factor/ }).waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "Open your account" }).click();
      const device = await addAuthenticator(page);
      await setUpPasskey(page, "Phone");
      await expectAccessible(page);
      await page.goto("/");
      await heading(page, `Hello, ${member.name}`);
      await signOut(page, member.name);
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await heading(page, `Hello, ${member.name}`);
      await device.remove();
    },
  );

  walkTest(
    "sign in through their organization's provider, and sign out there too",
    async ({ visit, make, deps }) => {
      await using provider = await startOidcProvider();
      const owner = await make.owner();
      const settings = await visit({ as: owner, path: "/settings/sign-in" });
      await settings.getByLabel("Domain", { exact: true }).fill("acme.example");
      await settings.getByRole("button", { name: "Add the domain" }).click();
      await settings.getByText("Not proven yet").waitFor();
      await settings.getByRole("button", { name: "Check acme.example" }).click();
      await settings.getByText("was not found yet").waitFor();
      await expectAccessible(settings);
      await deps.db.prisma.organizationDomain.updateMany({
        where: { organizationId: owner.organizationId },
        data: { provenAt: deps.clock.now() },
      });
      await settings.getByLabel("Issuer").fill(provider.issuer);
      await settings.getByLabel("Client id").fill(provider.client.clientId);
      await settings.getByLabel("Client secret", { exact: true }).fill(provider.client.clientSecret);
      await settings.getByRole("button", { name: "Save the provider" }).click();
      const address = settings.getByRole("group", { name: "the redirect URI" });
      provider.allowRedirect((await textOf(address)).trim());
      await settings.getByRole("button", { name: "Create a token" }).click();
      await settings.getByText("The token for your provider").waitFor();
      await expectAccessible(settings);

      provider.accounts.set("ann", { email: "ann@acme.example", email_verified: true, name: "Ann" });
      provider.signInAs("ann");
      const page = await visit({ path: "/sign-in", phone: true });
      await page.getByRole("button", { name: "Use single sign-on" }).click();
      await expectAccessible(page);
      await page.getByLabel("Email address of your organization").fill("ann@acme.example");
      await page.getByRole("button", { name: "Continue to your provider" }).click();
      await heading(page, "Hello, Ann");
      await page.goto("/account");
      await page.getByText("That opens only this organization.").waitFor();
      await expectAccessible(page);
      await page.goto("/sign-in?problem=unproven");
      await page.getByText("has not proven to own").waitFor();
    },
  );
});
