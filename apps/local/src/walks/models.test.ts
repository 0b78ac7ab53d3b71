import { startModelServer } from "@querybell/models/testing";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

const sql = `SELECT * FROM (VALUES (DATE '2026-09-01', 2269230.77::DECIMAL(12,2)),
  (DATE '2026-10-01', 2360000.00::DECIMAL(12,2))) AS t(month, revenue)`;
const right = "{{value revenue result=r1 period=2026-10}}.";
const ownSql = "SELECT count(*) AS fruits FROM fruits";
const own = "{{value fruits result=r2}}.";
const wrong = "It was 3 M in September.";

describe("a model", () => {
  walkTest(
    "is set up by an admin, does an automation's work, and each number leads to its rows",
    async ({ visit, make, worker }) => {
      expect(worker).toBeDefined();
      let gate = Promise.withResolvers<void>();
      await using server = await startModelServer(({ messages }) => {
        if (messages.length === 1) return { kind: "say", pieces: ["ready"] };
        const [, shortId = ""] =
          /"shortId":"(\w+)"/.exec(JSON.stringify(messages).replaceAll("\\", "")) ?? [];
        switch (messages.filter(({ role }) => role === "assistant").length) {
          case 0:
            return {
              kind: "say",
              pieces: ["Let me see ", "what is there."],
              calls: [{ name: "list_references", input: {} }],
              until: gate.promise,
            };
          case 1:
            return { kind: "say", calls: [{ name: "run_reference", input: { shortId } }] };
          case 2: {
            const input = { shortId, title: "Number of fruits", sql: ownSql };
            return { kind: "say", calls: [{ name: "run_sql", input }] };
          }
          default: {
            const input = { language: "en", text: [right, own, wrong].join(" ") };
            return { kind: "say", calls: [{ name: "write_summary", input }] };
          }
        }
      });
      const owner = await make.owner();
      await make.reference(owner, sql, { title: "Revenue by month" });
      const page = await visit({ as: owner, path: "/settings/model" });
      await heading(page, "Set up a model");
      await page.getByLabel("URL").fill("http://10.0.0.1/v1");
      await page.getByLabel("Model", { exact: true }).fill("small");
      await page.getByRole("button", { name: "Test the model" }).click();
      await page.getByText("MODEL_NETWORKS").waitFor();
      await page.getByLabel("URL").fill(server.url);
      await page.getByLabel("API key").fill("secret");
      await page.getByRole("button", { name: "Test the model" }).click();
      await page.getByText("It answered: ready").waitFor();
      await page.getByRole("button", { name: "Save the model" }).click();
      await page.getByText("Without consent, no data may be sent").waitFor();
      await expectAccessible(page);
      await page.getByLabel("may be sent to").check();
      await page.getByRole("button", { name: "Save the model" }).click();
      await heading(page, "In use");
      await expectAccessible(page);
      await page.getByRole("button", { name: "Correct the used tokens" }).click();
      await page.getByLabel("Tokens used this month").fill("1200");
      await expectAccessible(page);
      await page.getByRole("button", { name: "Correct", exact: true }).click();
      await page.getByText("1,200 of").waitFor();

      await page.goto("/automations/new");
      await heading(page, "New automation");
      await page.getByLabel("Name").fill("Revenue");
      await page.getByLabel("Instruction").fill("How is revenue?");
      await page.getByRole("combobox", { name: "Choose a chart" }).fill("revenue");
      await page.getByRole("option", { name: "Revenue by month" }).click();
      await page.getByRole("radio", { name: "Model" }).check();
      // Key by key: the first ones are less than the field takes.
      await page.getByLabel("Steps of a run").fill("");
      await page.getByLabel("Steps of a run").pressSequentially("20");
      await page.getByLabel("It may also write its own SQL").check();
      await page.getByRole("button", { name: "Try now" }).click();
      const trial = page.getByRole("region", { name: "Trial" });
      await trial.getByText("Let me see what is there.").waitFor();
      gate.resolve();
      gate = Promise.withResolvers<void>();
      await trial.getByText("revenue in October 2026 was").first().waitFor();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Make the automation" }).click();
      await heading(page, "Revenue");
      await page.getByText("20 steps,").waitFor();
      await page.getByText("SQL of the model's own").waitFor();
      await page.getByRole("button", { name: "Run now" }).click();
      await page.getByRole("link", { name: "Watch the chat" }).click();
      await page.getByText("Let me see what is there.").waitFor();
      gate.resolve();
      await page.getByRole("heading", { name: "Summary", exact: true }).waitFor();
      const summary = page.getByRole("region", { name: "Summary" });
      await summary.getByText("revenue in October 2026 was").waitFor();
      expect(await summary.textContent()).not.toContain("3 M");
      await page.locator("del", { hasText: "It was 3 M in September" }).last().waitFor();
      await page.getByText("calls of the model").waitFor();
      await summary.getByRole("button", { name: "2,360,000" }).click();
      const marked = page.locator("tr[aria-current]");
      await marked.waitFor();
      expect(await marked.textContent()).toContain("2,360,000.00");
      await expectAccessible(page);
      await summary.getByRole("button", { name: "2", exact: true }).click();
      const step = page.getByRole("listitem").filter({ hasText: "SQL that the model wrote" });
      await step.locator("tr[aria-current]").waitFor();
      expect(await step.textContent()).toContain(ownSql);
    },
  );
});
