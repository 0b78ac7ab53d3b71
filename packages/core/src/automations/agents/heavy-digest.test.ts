import { describe, expect } from "vitest";
import { automationTest } from "../../testing/automation-test.ts";
import { longestBlock } from "../../testing/longest-block.ts";
import { triggerAutomation } from "../index.ts";

// The dead-worker threshold is 20 seconds, and webhooks are delivered by the same loop.
const maxBlockMs = 200;

describe("a heavy digest", () => {
  automationTest(
    "of 50,000 rows of 31 numbers, compared with the run before, leaves the worker's loop free",
    // It computes for seconds, on a machine that may be busy with other tests.
    { timeout: 900_000 },
    async ({ deps, make, runs }) => {
      const owner = await make.owner();
      const columns = Array.from(
        { length: 31 },
        (_, column) => `random() * ${column + 1} AS amount_${column}`,
      );
      const sql = `SELECT i AS id, ${columns} FROM range(50000) t(i)`;
      // One is enough: an automation's references are looked at one after the other.
      const { shortId } = await make.reference(owner, sql, { title: "Amounts" });
      const automation = await make.automation(owner, {
        references: [{ shortId }],
        timeLimitSeconds: 86_400,
      });
      const summaries: (string | null)[] = [];
      const runOnce = async () => {
        const { id } = await triggerAutomation(deps, owner, automation);
        const { summary, failure } = await runs.end(owner, id);
        summaries.push(summary ?? JSON.stringify(failure));
      };
      await runOnce();
      // All of the worker's work in this thread counts: taking the run, storing 13 MB of result, the digest.
      const blockedMs = await longestBlock(runOnce, maxBlockMs);
      expect(summaries[0]).toMatch(/^"Amounts": total "amount_0" is [\d,]+ \(50,000 rows\)\. /);
      expect(summaries[1]).toMatch(
        // A small change is told with the value before it, and the amounts are random.
        /^"Amounts": total "amount_0" is [\d,]+ \(50,000 rows\), .* the last run(?: \([\d,]+\))?\. /,
      );
      expect(blockedMs).toBeLessThan(maxBlockMs);
    },
  );
});
