import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

const storing = /drafts\.(?:create|update)/;

/** Types, and waits until the server has the text. */
async function typeAndStore(page: Page, text: string): Promise<void> {
  const isStored = page.waitForResponse(storing);
  await page.keyboard.type(text);
  await isStored;
}

const changed = "Changed, not saved: only you see this";

describe("a draft", () => {
  walkTest(
    "follows its author to other windows, waits for the connection, and is seen by nobody else",
    async ({ visit, make, deps, worker: _ }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      const { id } = await make.query(owner, "SELECT 'saved' AS word");
      const path = `/queries/${id}`;
      const page = await visit({ as: owner, path });
      const editor = page.getByRole("textbox", { name: "SQL" });
      await editor.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(", 'tried' AS other");
      await page.keyboard.press("Control+Enter");
      await page.getByRole("gridcell", { name: "tried" }).waitFor();
      await page.getByText("a trial, only you see it").waitFor();
      await page.getByText(changed).waitFor();
      await expectAccessible(page);

      const colleague = await visit({ as: member, path });
      await colleague.getByText("No result yet.").waitFor();
      expect(await colleague.getByText("tried").count()).toBe(0);

      // Another device of the same person, a phone, shows the text and the result of the trial.
      const phone = await visit({ as: owner, path: "/queries/drafts", phone: true });
      await expectAccessible(phone);
      await phone.getByRole("list", { name: "Drafts" }).getByRole("link").click();
      await phone.getByRole("gridcell", { name: "tried" }).waitFor();
      const phoneEditor = phone.getByRole("textbox", { name: "SQL" });
      await phoneEditor.click();
      await phone.keyboard.press("Control+End");
      await typeAndStore(phone, " -- on the phone");
      const stored = async () => (await deps.db.prisma.queryDraft.findFirst({ where: { queryId: id } }))?.sql;
      expect(await stored()).toContain("on the phone");

      // The first window has not seen that. It is told when it changes the text, and may choose.
      await editor.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(" -- here");
      const conflict = page.getByRole("alert").filter({ hasText: "changed in another window" });
      await conflict.waitFor();
      await expectAccessible(page);
      expect(await stored()).toContain("on the phone");
      const isKept = page.waitForResponse(storing);
      await conflict.getByRole("button", { name: "Keep the text of this page" }).click();
      await conflict.waitFor({ state: "detached" });
      await isKept;
      expect(await stored()).toContain("here");

      // Without a connection, the text survives a reload in the browser.
      await page.route("**/*drafts.update*", (route) => route.abort());
      await editor.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(" offline");
      await page.getByText("Kept in this browser only.").waitFor();
      await page.reload();
      await editor.getByText("here offline").waitFor();
      const isSent = page.waitForResponse(storing);
      await page.unroute("**/*drafts.update*");
      await isSent;
      expect(await stored()).toContain("here offline");

      // Discarding can be undone.
      await page.getByRole("button", { name: "Discard changes" }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await editor.getByText("here offline").waitFor();
      await page.getByText(changed).waitFor();

      // Saving publishes the result of a trial of this text.
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByText("a trial, only you see it").waitFor();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      await page.getByRole("gridcell", { name: "tried" }).waitFor();
      await colleague.reload();
      await colleague.getByRole("gridcell", { name: "tried" }).waitFor();
      await page.goto("/queries/drafts");
      await page.getByText("No drafts").waitFor();
    },
  );
});
