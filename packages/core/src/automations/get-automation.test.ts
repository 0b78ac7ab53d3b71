import { ClaimRun, ListAutomations } from "@querybell/domain";
import { expect } from "vitest";
import { dbTest } from "../testing/db-test.ts";
import { claimRun, completeClaimedRun, listAutomations, triggerAutomation } from "./index.ts";

dbTest(
  "an automation's overview has its latest run and its last outcome, of its own runs alone",
  async ({ make, deps }) => {
    const owner = await make.owner();
    const makeClaimed = async () => {
      const automation = await make.automation(owner, { agent: "external" });
      const run = await triggerAutomation(deps, owner, automation);
      const claim = await claimRun(deps, owner, ClaimRun.parse({ automationId: automation.id }));
      return { automation, run, claim: { runId: run.id, claimNumber: claim?.claimNumber ?? 0 } };
    };
    const first = await makeClaimed();
    await completeClaimedRun(deps, owner, { ...first.claim, summary: "One." });
    const again = await triggerAutomation(deps, owner, first.automation);
    const second = await makeClaimed();
    const { items } = await listAutomations(deps, owner, ListAutomations.parse({}));
    expect(items).toMatchObject([
      { id: second.automation.id, latestRun: { id: second.run.id }, latestEndedRun: null },
      {
        id: first.automation.id,
        latestRun: { id: again.id, status: "pending" },
        latestEndedRun: { id: first.run.id, summary: "One." },
      },
    ]);
  },
);
