import { describe, expect } from "vitest";
import { automationTest } from "../../testing/automation-test.ts";
import { longestBlockOnce } from "../../testing/longest-block.ts";
import { triggerAutomation } from "../index.ts";

// Computing the digest in this thread would block it for many seconds. Shorter blocks are measured in tests that can be
// repeated: on a busy machine, a single measurement says little about a tenth of a second.
const maxBlockMs = 1_000;

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
      // All of the worker's work in this thread counts: taking the runs, storing 13 MB of result for each, the digest.
      const blockedMs = await longestBlockOnce(async () => {
        for (let time = 0; time < 2; time++) {
          const { id } = await triggerAutomation(deps, owner, automation);
          const { summary, failure } = await runs.end(owner, id);
          summaries.push(summary ?? JSON.stringify(failure));
        }
      });
      expect(summaries[0]).toMatch(/^"Amounts": total "amount_0" is [\d,]+ \(50,000 rows\)\. /);
      expect(summaries[1]).toMatch(
        /^"Amounts": total "amount_0" is [\d,]+ \(50,000 rows\), .* the last run\. /,
      );
      expect(blockedMs).toBeLessThan(maxBlockMs);
    },
  );
});
