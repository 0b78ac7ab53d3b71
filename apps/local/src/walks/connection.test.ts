import { describe, expect, inject } from "vitest";
import { createApiProcess } from "../testing/api-process.ts";
import { createNotification } from "../testing/create-notification.ts";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { waitUntilLoaded } from "../testing/pages.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

/** The api runs in a separate process here, which the test stops or kills. */
const killTest = walkTest
  .extend("passwordHashes", { scope: "file" }, () => "real" as const)
  .extend("apiProcess", { scope: "file" }, ({ settings, port }, { onCleanup }) => {
    const { DATABASE_URL, SEALING_KEYS, DUCKDB_FOLDER, PUBLIC_URL } = settings;
    const api = createApiProcess({
      ...{ DATABASE_URL, SEALING_KEYS, DUCKDB_FOLDER, PUBLIC_URL },
      NODE_ENV: "test",
      PORT: String(port),
      TRUSTED_PROXIES: "127.0.0.1",
      WEBHOOK_ALLOW_LOOPBACK: "1",
      LOG_LEVEL: "silent",
      WEB_FOLDER: inject("webFolder"),
    });
    onCleanup(api.kill);
    return api;
  })
  .extend("api", { scope: "file" }, async ({ apiProcess, publicUrl }) => {
    await apiProcess.start();
    return { url: publicUrl };
  });

describe("a page that is open while the api is killed", () => {
  killTest("says so, keeps what was typed, and recovers by itself", async ({ visit, make, apiProcess }) => {
    const owner = await make.owner();
    const page = await visit({ as: owner, path: "/account" });
    await heading(page, "Your account");
    // What the sections read is there: only the form fails.
    await page.getByText("You have no second factor.").waitFor();
    await page.getByText("This browser").waitFor();
    await waitUntilLoaded(page);
    await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
    await apiProcess.kill();
    await page.getByText("The connection is lost").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "Querybell cannot be reached" }).waitFor();
    await apiProcess.start();
    await page.getByText("The connection is lost").waitFor({ state: "detached" });
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Ada Lovelace");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Your name is saved.").waitFor();
  });
});

describe("a page that is open while the api is stopped", () => {
  killTest(
    "says so, keeps what is shown once although a read fails, and gets news again",
    async ({ visit, make, deps, apiProcess }) => {
      const owner = await make.owner();
      await deps.db.prisma.organization.update({
        where: { id: owner.organizationId },
        data: { webhooksEnabled: true },
      });
      const page = await visit({ as: owner, path: "/settings/webhooks/new" });
      await page.getByLabel("URL", { exact: true }).fill("http://127.0.0.1:9/hook");
      await page.getByRole("button", { name: "Create the endpoint" }).click();
      await heading(page, "The endpoint is created");
      const notice = page.getByText("The connection is lost");
      await apiProcess.stop();
      await notice.waitFor();

      // The page reads everything again once the api answers. The read of the settings fails.
      await page.route(/settings\.get/, (route) => route.abort());
      const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("settings.get"));
      await apiProcess.start();
      await failed;
      await notice.waitFor();
      await page.unroute(/settings\.get/);
      await notice.waitFor({ state: "detached" });
      expect(await page.getByText("Copy the secret now: it is not shown again").isVisible()).toBe(true);

      await createNotification(deps, owner);
      await page.getByRole("button", { name: "Notifications, 1 unread" }).waitFor();
    },
  );
});
