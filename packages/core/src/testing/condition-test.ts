import { type AutomationCondition, ConditionRule } from "@querybell/domain";
import type { z } from "zod";
import { getAutomation } from "../automations/get-automation.ts";
import { triggerAutomation } from "../automations/index.ts";
import { updateQuery } from "../queries/index.ts";
import { automationTest } from "./automation-test.ts";

export type Rule = z.input<typeof ConditionRule>;

/** An automation on one chart, whose rows a test changes. */
export const conditionTest = automationTest.extend("watched", { scope: "file" }, ({ deps, make, runs }) => {
  return async (rule: Rule, sql = "SELECT 'apple' AS name, 5 AS weight") => {
    const owner = await make.owner();
    const reference = await make.reference(owner, sql);
    const { shortId } = reference;
    const condition: AutomationCondition = { shortId, rule: ConditionRule.parse(rule) };
    const automation = await make.automation(owner, {
      references: [{ shortId }],
      condition,
      subscribers: [{ userId: owner.userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
    });
    const queryId = reference.currentQuery?.id ?? "";
    const run = async () => runs.end(owner, (await triggerAutomation(deps, owner, automation)).id);
    return {
      owner,
      automation,
      condition,
      run,
      runWith: async (changed: string) => {
        await updateQuery(deps, owner, { id: queryId, sql: changed });
        return run();
      },
      state: async () => (await getAutomation(deps, owner, automation)).conditionState,
      events: async () =>
        (await runs.events(owner)).filter(({ type }) => type.startsWith("automation.condition")),
      notifications: () => deps.db.prisma.notification.count({ where: { userId: owner.userId } }),
    };
  };
});
