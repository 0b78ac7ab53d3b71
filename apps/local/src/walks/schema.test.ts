import { updateModel } from "@querybell/core/models";
import { startModelServer, type Turn } from "@querybell/models/testing";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

const suggest = (text: string, sql: string): Turn => ({
  kind: "say",
  pieces: [text, "\n```sql\n", sql, "\n```"],
});

describe("the schema of a database", () => {
  walkTest(
    "is read, described, searched and queried, with help of a model",
    async ({ visit, make, deps, worker: _ }) => {
      let turn: Turn = { kind: "hang", pieces: ["Let me "] };
      await using server = await startModelServer(() => turn);
      const owner = await make.owner();
      await make.database(owner);
      const connection = { url: server.url, name: "small", apiKey: null };
      await updateModel(deps, owner, { connection, monthlyTokens: 1_000_000, consent: true });

      const page = await visit({ as: owner, path: "/queries/new" });
      const about = page.getByRole("button", { name: "About fruits" });
      await about.click();
      const dialog = page.getByRole("dialog", { name: "fruits" });
      await dialog.getByRole("cell", { name: "apple" }).waitFor();
      await page.keyboard.press("Escape");
      await about.and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Enter");
      await dialog.getByText("All 2 rows.").waitFor();
      await dialog.getByRole("button", { name: "What it holds: weight" }).click();
      await dialog.getByText("3 to 5").waitFor();
      await dialog.getByRole("button", { name: "Edit the description of weight" }).click();
      await dialog.getByRole("textbox", { name: "The description of weight" }).fill("In kilograms");
      await page.keyboard.press("Enter");
      await dialog.getByText("In kilograms").waitFor();
      await expectAccessible(page);

      await dialog.getByRole("button", { name: "Query this table: fruits" }).click();
      const editor = page.getByRole("textbox", { name: "SQL", exact: true });
      await editor.getByText("LIMIT").waitFor();
      await editor.and(page.locator(":focus")).waitFor();
      expect(await editor.textContent()).toBe("SELECT name, weightFROM fruitsLIMIT 100");
      await page.getByLabel("Filter tables and columns").fill("kilo");
      const column = page.getByRole("button", { name: "weight" });
      await column.waitFor();
      expect(await page.getByRole("button", { name: "name", exact: true }).count()).toBe(0);
      await column.dragTo(editor.getByText("LIMIT"));
      await editor.filter({ hasText: /weight.*weight/s }).waitFor();
      await editor.focus();
      await page.keyboard.press("Control+z");
      await editor.getByText("LIMIT").waitFor();

      // A click inserts the name with what separates it.
      await page.keyboard.press("Control+Home");
      await page.keyboard.press("End");
      await column.click();
      await editor.getByText("SELECT name, weight, weight").waitFor();
      await page.keyboard.press("Control+z");

      // The help: cancelled, explained, written and rejected, written and accepted.
      await page.getByRole("button", { name: "Help", exact: true }).click();
      const help = page.getByRole("region", { name: "Help with SQL" });
      await help.getByRole("button", { name: "Make it faster" }).click();
      await help.getByText("Writing…").waitFor();
      await help.getByRole("button", { name: "Cancel" }).click();
      turn = { kind: "say", pieces: ["It lists <b>fruits</b>."] };
      await help.getByRole("button", { name: "Explain it" }).click();
      await help.getByText("It lists <b>fruits</b>.").waitFor();
      turn = suggest("It counts them.", "SELECT count(*) AS n FROM fruits");
      await help.getByLabel("What do you want to know?").fill("How many fruits are there?");
      await page.keyboard.press("Enter");
      await help.getByRole("textbox", { name: "Suggested SQL" }).waitFor();
      expect(await editor.isVisible()).toBe(false);
      await expectAccessible(page);
      // The editor cannot be seen, so nothing is written into it.
      await column.click();
      await page.getByText("Accept or reject the suggested SQL first.").waitFor();
      await help.getByRole("button", { name: "Accept" }).focus();
      await help.locator("button:focus", { hasText: "Accept" }).waitFor();
      await page.keyboard.press("Escape");
      await editor.getByText("LIMIT").waitFor();
      expect(await editor.textContent()).toBe("SELECT name, weightFROM fruitsLIMIT 100");
      await help.getByRole("button", { name: "Write it" }).click();
      await help.locator("button:focus", { hasText: "Accept" }).waitFor();
      await page.keyboard.press("Enter");
      await editor.getByText("count(*)").waitFor();
      expect(await editor.textContent()).toBe("SELECT count(*) AS n FROM fruits");
      expect(await deps.db.prisma.queryRun.count()).toBe(0);

      // The error of a trial is corrected. The help stays open.
      await editor.click();
      await page.keyboard.press("Control+a");
      await page.keyboard.type("SELECT weigth FROM fruits");
      await page.keyboard.press("Control+Enter");
      await page.getByRole("alert").filter({ hasText: "weigth" }).waitFor();
      turn = suggest("A letter was wrong.", "SELECT weight FROM fruits");
      await help.getByRole("button", { name: "Fix this error" }).click();
      await help.getByRole("button", { name: "Accept" }).click();
      await editor.getByText("weight").waitFor();
      await updateModel(deps, owner, { connection, monthlyTokens: 1, consent: true });
      await help.getByRole("button", { name: "Explain it" }).click();
      await help.getByRole("alert").filter({ hasText: "tokens of this month are used" }).waitFor();
    },
  );
});
