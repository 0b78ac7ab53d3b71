import { createDraft, findDraft, listDrafts, updateDraft } from "@querybell/core/drafts";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

const storing = /drafts\.(?:create|update)/;

const changed = "Changed, not saved: only you see this";

describe("a draft", () => {
  walkTest(
    "follows its author to other windows, waits for the connection, and is published when it is saved",
    async ({ visit, make, deps, worker: _ }) => {
      const owner = await make.owner();
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

      // Another device of the same person, a phone, shows the text and the result of the trial.
      const phone = await visit({ as: owner, path: "/queries/drafts", phone: true });
      await expectAccessible(phone);
      await phone.getByRole("list", { name: "Drafts" }).getByRole("link").click();
      await phone.getByRole("gridcell", { name: "tried" }).waitFor();
      const draft = await findDraft(deps, owner, { queryId: id });
      if (!draft) throw new Error("There is no draft.");
      const { revision, sql } = draft;
      await updateDraft(deps, owner, { id: draft.id, revision, sql: `${sql} -- on the phone` });
      const stored = async () => (await findDraft(deps, owner, { queryId: id }))?.sql;

      // The first window has not seen that. It is told when it changes the text, and may choose.
      await editor.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(" -- here");
      const conflict = page.getByRole("alert").filter({ hasText: "changed in another window" });
      await conflict.getByText(/^.*Line 1 of the other text is: .* -- on the phone”/).waitFor();
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
      await page.getByText("Kept in this browser until the server answers.").waitFor();
      await page.unroute("**/*drafts.update*");
      const isSent = page.waitForResponse(storing);
      await page.reload();
      await editor.getByText("here offline").waitFor();
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
      await page.goto("/queries/drafts");
      await page.getByText("No drafts").waitFor();
      // A phone shows the whole word.
      await phone.goto("/queries");
      const state = phone.getByText("Completed", { exact: true });
      expect(await state.evaluate((word) => word.scrollWidth - word.clientWidth)).toBe(0);
    },
  );

  walkTest(
    "that was discarded replaces what was typed since, also after its page was left",
    async ({ visit, make }) => {
      const owner = await make.owner();
      const { id } = await make.query(owner, "SELECT 'saved' AS word");
      const page = await visit({ as: owner, path: `/queries/${id}` });
      const editor = page.getByRole("textbox", { name: "SQL" });
      const write = async (text: string) => {
        await editor.click();
        await page.keyboard.press("Control+End");
        const isStored = page.waitForResponse(storing);
        await page.keyboard.type(text);
        await isStored;
      };
      await write(" -- discarded");
      await page.getByRole("button", { name: "Discard changes" }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Queries", exact: true }).click();
      await page.goBack();
      await write(" -- since");
      await page.getByRole("button", { name: "Undo" }).click();
      await editor.getByText("-- discarded").waitFor();
      await page.getByText("Your changes are discarded.").waitFor({ state: "detached" });
      expect(await page.getByText("Not undone").count()).toBe(0);
    },
  );

  walkTest("that was deleted comes back with its name and its definitions", async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const query = await make.query(owner, "SELECT {{day}} AS day");
    const { analyticalDatabaseConfigId } = query;
    const definitions = [{ name: "day", displayName: "Day", type: "date" as const, description: "" }];
    const parameters = { base: null, definitions, choices: {}, ranges: [] };
    const content = { sql: "SELECT {{day}} AS day", analyticalDatabaseConfigId, parameters };
    await createDraft(deps, owner, { ...content, queryId: query.id });
    const { id } = await createDraft(deps, owner, { ...content, name: "Days" });
    const stored = async () => (await listDrafts(deps, owner)).map(({ name }) => name).sort();

    // On the list of drafts.
    const page = await visit({ as: owner, path: "/queries/drafts" });
    const list = page.getByRole("list", { name: "Drafts" });
    await list.getByRole("button", { name: /^Delete: SELECT/ }).click();
    await page.getByText("The draft is deleted.").waitFor();
    await expect.poll(stored).toEqual(["Days"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await list.getByRole("button", { name: /^Delete: SELECT/ }).waitFor();
    expect(await findDraft(deps, owner, { queryId: query.id })).toMatchObject({ parameters });

    // On its own page.
    await page.goto(`/queries/new?draft=${id}`);
    await page.getByRole("button", { name: "Delete the draft" }).click();
    await page.getByText("The draft is deleted.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "Days" }).waitFor();
    await expect.poll(stored).toEqual(["Days", null]);
  });
});
