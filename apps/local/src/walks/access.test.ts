import { setFolderAccess } from "@querybell/core/access";
import { createFolder } from "@querybell/core/folders";
import { moveItems } from "@querybell/core/library";
import { createReference } from "@querybell/core/references";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

describe("access", () => {
  walkTest("is given to a group, and taken from everybody else", async ({ visit, make, deps, worker: _ }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const viewer = await make.member(owner.organizationId, "viewer");
    const query = await make.query(owner, "SELECT name FROM fruits");
    const chart = await createReference(deps, owner, { queryId: query.id, title: "Fruits of the month" });
    const { id: folderId } = await createFolder(deps, owner, { name: "Board", parentId: null });
    const items = [
      { kind: "query" as const, id: query.id },
      { kind: "reference" as const, id: chart.id },
    ];
    await moveItems(deps, owner, { items, folderId });

    // A group with a member.
    const page = await visit({ as: owner, path: "/settings/groups" });
    await page.getByText("No groups yet").waitFor();
    await page.getByRole("button", { name: "Create a group" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create the group" }).click();
    await dialog.getByText("Give the group a name.").waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("Directors");
    await dialog.getByRole("button", { name: "Create the group" }).click();
    await page.getByRole("dialog", { name: "Group Directors" }).waitFor();
    await page.getByRole("combobox", { name: "Members" }).fill(member.email);
    await page.getByRole("option", { name: member.name }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    // The list stays open for more, until the focus leaves it.
    await page.keyboard.press("Tab");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save the group" }).click();
    await page.getByText("1 member", { exact: true }).waitFor();
    await expectAccessible(page);

    // The folder is for this group only.
    await page.goto("/settings/access");
    await page.getByRole("button", { name: "Access to Board" }).click();
    await page.getByLabel("Only those chosen here, admins and owners").check();
    await page.getByText("Nobody is chosen").waitFor();
    await page.getByRole("combobox", { name: "Give access to" }).fill("Directors");
    await page.getByRole("option", { name: "Directors" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByLabel("Right of Directors (group)").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save the access" }).click();
    await page.getByText("It applies everywhere within five seconds").waitFor();

    const seeing = await visit({ as: member, path: `/q/${chart.shortId}` });
    await heading(seeing, "Fruits of the month");
    const outside = await visit({ as: viewer, path: `/q/${chart.shortId}` });
    await outside.getByText("There is no chart at this address").waitFor();
    await outside.goto("/charts");
    await outside.getByText("No charts yet").waitFor();

    // A viewer sees what is for everybody, and no buttons that change it.
    await setFolderAccess(deps, owner, { folderId, grants: null });
    await outside.goto(`/queries/${query.id}`);
    await outside.getByText("SELECT name FROM fruits").first().waitFor();
    await outside.getByRole("button", { name: "Run", exact: true }).click();
    await outside.getByRole("gridcell", { name: "apple" }).waitFor();
    await expectAccessible(outside);
    await outside.getByRole("link", { name: "Fruits of the month" }).click();
    await heading(outside, "Fruits of the month");
    await expectAccessible(outside);
  });

  walkTest(
    "to folders in others that may only be seen: they are named with these when a query is saved",
    async ({ visit, make, deps }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      await make.database(owner);
      const grants = (level: "see" | "edit") => [{ grantee: { kind: "everybody" as const }, level }];
      for (const name of ["Sales", "HR"]) {
        const { id } = await createFolder(deps, owner, { name, parentId: null });
        const inner = await createFolder(deps, owner, { name: "Europe", parentId: id });
        await setFolderAccess(deps, owner, { folderId: id, grants: grants("see") });
        await setFolderAccess(deps, owner, { folderId: inner.id, grants: grants("edit") });
      }
      const page = await visit({ as: member, path: "/queries/new" });
      await page.getByRole("textbox", { name: "SQL" }).click();
      await page.keyboard.type("SELECT 1");
      await page.keyboard.press("Control+s");
      await page.getByRole("combobox", { name: "Folder" }).click();
      await page.getByRole("option", { name: "HR / Europe" }).waitFor();
      expect(await page.getByRole("option").allTextContents()).toEqual(["HR / Europe", "Sales / Europe"]);
    },
  );
});
