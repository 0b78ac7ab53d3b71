import { readFile } from "node:fs/promises";
import { testPassword } from "@querybell/core/testing";
import { expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

walkTest(
  "an owner exports the audit log and everything, requests the deletion and cancels it; a member erases themselves",
  async ({ visit, make, deps, worker: _ }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id } = await make.query(member, "SELECT 1 AS a");
    const { name } = await deps.db.prisma.organization.findUniqueOrThrow({
      where: { id: owner.organizationId },
    });

    const page = await visit({ as: owner, path: "/settings/audit?action=query.created" });
    await page.getByRole("link", { name: `Same object: ${id}` }).click();
    expect(await page.getByLabel("Object", { exact: true }).inputValue()).toBe(id);
    await page.getByRole("button", { name: "Export" }).click();
    const lines = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "JSON lines" }).click();
    const [entry] = (await readFile(await (await lines).path(), "utf8")).split("\n");
    expect(JSON.parse(entry ?? "")).toMatchObject({ action: "query.created", targetId: id });
    await expectAccessible(page);

    await page.goto("/settings/export");
    await page.getByRole("button", { name: "Make the file" }).click();
    const link = page.getByRole("link", { name: "Download the file" });
    await link.waitFor();
    const archive = page.waitForEvent("download");
    await link.click();
    const file = await archive;
    expect(file.suggestedFilename()).toMatch(/\.tar\.gz$/);
    expect((await readFile(await file.path())).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));

    const request = page.getByRole("button", { name: "Request the deletion" });
    await page.getByLabel("Name of the organization").fill("Another");
    await request.click();
    await page.getByText("Type the name of the organization").waitFor();
    await page.getByLabel("Name of the organization").fill(name);
    await request.click();
    await page.getByText("This organization will be deleted").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel the deletion" }).click();
    await request.waitFor();

    const own = await visit({ as: member, path: "/account" });
    await own.getByLabel("Your email address, to confirm").fill(member.email);
    await own.getByLabel("Your password", { exact: true }).fill(testPassword);
    await expectAccessible(own);
    await own.getByRole("button", { name: "Delete my account" }).click();
    await own.waitForURL("**/sign-in*");
    await page.goto(`/settings/audit?targetId=${id}`);
    await page.getByText("Deleted user").waitFor();
  },
);
