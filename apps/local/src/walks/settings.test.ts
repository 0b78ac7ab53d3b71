import { createKey } from "@querybell/core/keys";
import { testPassword } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { runCurl } from "../testing/curl.ts";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, signIn, textOf } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

describe("settings", () => {
  walkTest("create a key, which works with curl until it is revoked", async ({ visit, make, api, clock }) => {
    const owner = await make.owner();
    const page = await visit({ as: owner, path: "/settings/keys" });
    await page.getByText("No keys yet").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Keys with the scope sql:run may run SQL").click();
    await page.getByText("Keys may run SQL now.").waitFor();
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create the key" }).click();
    await dialog.getByText("Give the key a name").waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("Nightly export");
    await dialog.getByLabel("Run queries (queries:run)").check();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Create the key" }).click();
    const key = await textOf(dialog.locator("code").filter({ hasText: /^qb_/ }));
    await expectAccessible(page);
    const shown = await textOf(dialog.getByRole("group", { name: "the command" }));
    expect(shown).toContain(`${api.url}/api/key`);

    const [command = ""] = /^curl .*$/m.exec(shown) ?? [];
    const call = async () => JSON.parse(await runCurl(command, { QUERYBELL_KEY: key }));
    expect(await call()).toMatchObject({
      name: "Nightly export",
      scopes: ["queries:read", "queries:run"],
    });
    // It is not shown again, so Escape does not close it.
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    await page.getByText("Last used").waitFor();
    expect(await page.getByText(key).count()).toBe(0);

    await page.getByRole("button", { name: "Revoke the key Nightly export" }).click();
    await page.getByRole("dialog").getByText("This cannot be undone").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Revoke the key", exact: true }).click();
    await page.getByText("No keys yet").waitFor();
    await clock.advance(5_000);
    expect(await call()).toMatchObject({ status: 401, code: "unauthorized" });
  });

  walkTest(
    "add a database once its connection works, and say what failed before",
    async ({ visit, make, superuserUrl }) => {
      const owner = await make.owner();
      const { hostname, port, username, password, pathname } = new URL(superuserUrl);
      const page = await visit({ as: owner, path: "/settings/databases" });
      await page.getByText("No databases yet").waitFor();
      await page.getByRole("link", { name: "Add a database" }).first().click();
      await page.getByRole("button", { name: "Add the database" }).click();
      await page.getByText("Give the database a name.").waitFor();
      for (const what of ["the host", "the name of the database", "the user"])
        await page.getByText(`Enter ${what}.`, { exact: true }).waitFor();
      await page.getByLabel("Name", { exact: true }).fill("Warehouse");
      await page.getByLabel("Host", { exact: true }).fill(hostname);
      await page.getByLabel("Port", { exact: true }).fill("1");
      await page.getByLabel("Database", { exact: true }).fill(pathname.slice(1));
      await page.getByLabel("User", { exact: true }).fill(decodeURIComponent(username));
      await page.getByLabel("TLS", { exact: true }).selectOption("Off: not encrypted");
      await page.getByLabel("Password", { exact: true }).fill(decodeURIComponent(password));
      await page.getByRole("button", { name: "Test the connection" }).click();
      await page
        .getByText(/connect/i)
        .filter({ hasText: "1" })
        .first()
        .waitFor();
      await expectAccessible(page);
      await page.getByLabel("Port", { exact: true }).fill(port);
      await page.getByRole("button", { name: "Test the connection" }).click();
      await page.getByText("It works: Postgres 18").waitFor();
      const warning = page.getByText(/superuser/);
      await warning.waitFor();
      await page.getByRole("button", { name: "Add the database" }).click();
      await page.getByRole("list", { name: "Databases" }).getByText("Warehouse").waitFor();
      await page.getByRole("alert").filter({ has: warning }).waitFor();
      await page.getByRole("button", { name: "Test the connection to Warehouse" }).click();
      await page.getByText("It works: Postgres 18").waitFor();
      await expectAccessible(page);

      await page.getByRole("link", { name: "Edit Warehouse" }).click();
      await heading(page, "Edit Warehouse");
      await page.getByLabel("Host", { exact: true }).fill("127.0.0.2");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Send the password too").waitFor();
      await page.getByLabel("Host", { exact: true }).fill(hostname);
      await page.getByLabel("Most rows").fill("1000");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("At most 1,000 rows").waitFor();
      await page.getByRole("button", { name: "Delete Warehouse" }).click();
      await page.getByText("No query uses it.").waitFor();
      await page.getByRole("button", { name: "Delete the database" }).click();
      await page.getByText("No databases yet").waitFor();
    },
  );

  walkTest("invite a person, who joins and is made an admin", async ({ visit, make }) => {
    const owner = await make.owner();
    const page = await visit({ as: owner, path: "/settings/members" });
    await page.getByRole("button", { name: "Invite somebody" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email address").fill(`ada-${owner.userId}@example.test`);
    await dialog.getByRole("button", { name: "Invite", exact: true }).click();
    const link = await textOf(dialog.locator("code").filter({ hasText: /^http/ }));
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("list", { name: "Open invitations" }).waitFor();
    await expectAccessible(page);

    const theirs = await visit({ path: link });
    await theirs.getByLabel("Your name").fill("Ada");
    await theirs.getByLabel("Password", { exact: true }).fill(testPassword);
    await theirs.getByRole("button", { name: "Create account and join" }).click();
    await heading(theirs, "Hello, Ada");
    expect(await theirs.getByRole("link", { name: "Settings" }).count()).toBe(0);

    await page.reload();
    await page.getByLabel("Role of Ada").selectOption("Admin");
    const change = page.getByRole("button", { name: "Change the role of Ada" });
    await change.click();
    await change.waitFor({ state: "detached" });
    await theirs.reload();
    await theirs.getByRole("link", { name: "Settings" }).click();
    await theirs.getByRole("link", { name: "Members" }).click();
    // Who is no longer an admin sees so at once.
    await theirs.getByLabel("Role of Ada").selectOption("Member");
    await theirs.getByRole("button", { name: "Change the role of Ada" }).click();
    await theirs.getByText("Only admins and owners").waitFor();
    await page.getByLabel(`Role of ${owner.name}`).selectOption("Member");
    await page.getByRole("button", { name: `Change the role of ${owner.name}` }).click();
    await page.getByText("This would leave the organization without an owner.").waitFor();
    await page.getByRole("button", { name: "Remove Ada" }).click();
    await page.getByText("Ada loses access at once").waitFor();
    await page.getByRole("button", { name: "Remove the member" }).click();
    await page.getByText("Ada is no longer a member.").waitFor();
  });

  walkTest(
    "show who still calls the REST routes, and retire them for good",
    async ({ visit, make, deps, api }) => {
      const owner = await make.owner();
      const { key } = await createKey(deps, owner, { name: "Old dashboard", scopes: ["queries:read"] });
      const call = () => fetch(`${api.url}/api/queries`, { headers: { authorization: `Bearer ${key}` } });
      expect((await call()).status).toBe(200);
      while (
        (await deps.db.prisma.restCall.count({ where: { organizationId: owner.organizationId } })) === 0
      );
      const page = await visit({ as: owner, path: "/settings/organization" });
      await page.getByRole("list", { name: "Who still calls" }).getByText("Old dashboard").waitFor();
      await expectAccessible(page);

      await page.getByLabel("Name", { exact: true }).fill("Acme Analytics");
      await page.getByRole("button", { name: "Save the name" }).click();
      await page.getByText("The organization is called Acme Analytics now.").waitFor();
      await page.getByLabel("Lifetime", { exact: true }).fill("400");
      await page.getByLabel("Unit", { exact: true }).selectOption("days");
      await page.getByRole("button", { name: "Save the lifetime" }).click();
      await page.getByText(/at most 31536000 \(one year\)/).waitFor();

      await page.getByLabel("Retire them on").fill("2099-01-01T00:00");
      await page.getByRole("button", { name: "Save the date" }).click();
      const takeBack = page.getByRole("button", { name: "Take the date back" });
      await takeBack.waitFor();
      await page.route("**/settings.update*", (route) => route.abort());
      await takeBack.click();
      await page.getByRole("alert").filter({ hasText: "Querybell cannot be reached." }).waitFor();
      await page.unroute("**/settings.update*");
      await takeBack.click();
      await takeBack.waitFor({ state: "detached" });

      await page.getByRole("button", { name: "Retire them now" }).click();
      await page.getByRole("dialog").getByText("No admin can undo this").waitFor();
      await expectAccessible(page);
      await page.getByRole("dialog").getByRole("button", { name: "Retire them now" }).click();
      await page.getByText("They are retired.").waitFor();

      await page
        .getByRole("navigation", { name: "Settings" })
        .getByRole("link", { name: "Audit log" })
        .click();
      await page.getByText("REST compatibility: live → retired").waitFor();
      await page.getByLabel("What", { exact: true }).selectOption("API key created");
      await page.getByText("Old dashboard").waitFor();
      expect(new URL(page.url()).searchParams.get("action")).toBe("api_key.created");
      await expectAccessible(page);
      await page.reload();
      await page.getByText("Old dashboard").waitFor();
      expect(await page.getByText("REST compatibility: live → retired").count()).toBe(0);
    },
  );

  walkTest("are closed to members, on the pages and in the api", async ({ visit, make, api }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const page = await visit({ as: member, path: "/" });
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.getByRole("link", { name: "Settings" }).count()).toBe(0);
    for (const path of [
      "organization",
      "members",
      "keys",
      "databases",
      "webhooks",
      "webhooks/deliveries",
      "audit",
      "export",
    ]) {
      await page.goto(`/settings/${path}`);
      await page.getByText("Only admins and owners").waitFor();
      await page.getByText(owner.email).waitFor();
    }
    await expectAccessible(page);
    for (const procedure of [
      "keys.list",
      "audit.list",
      "databases.describe",
      "settings.restCalls",
      "webhookEndpoints.list",
    ]) {
      const answer = await page.request.get(`/api/trpc/${procedure}`);
      expect([procedure, answer.status()]).toEqual([procedure, 403]);
    }
    const retire = await page.request.post("/api/trpc/settings.update", {
      data: { restCompatibility: "retired" },
      headers: { origin: api.url },
    });
    expect(retire.status()).toBe(403);
  });

  walkTest("say whom to ask if webhooks are not enabled", async ({ page, make }) => {
    const owner = await make.owner();
    await page.goto("/settings/webhooks");
    await signIn(page, owner.email);
    await page.getByText(/Webhooks and destinations are switched off for .* Only the operator/).waitFor();
    await page.getByText(/pnpm operator webhooks on --organization/).waitFor();
    // The copy button is beside the text, not above it.
    const text = await page.getByRole("group", { name: "the operator’s command" }).boundingBox();
    const button = await page.getByRole("button", { name: "Copy the operator’s command" }).boundingBox();
    expect(button?.x).toBeGreaterThanOrEqual(Math.floor((text?.x ?? 0) + (text?.width ?? Infinity)));
    await expectAccessible(page);
  });
});
