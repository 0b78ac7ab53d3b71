import { isDeepStrictEqual } from "node:util";
import { Prisma } from "@querybell/db";
import type { Automation, Caller, UpdateAutomation } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toAutomation, toBudgetColumns, withContent } from "./automation-row.ts";
import { checkAgent } from "./check-agent.ts";
import { checkReferences } from "./check-references.ts";
import { checkSubscribers } from "./check-subscribers.ts";
import { lockAutomation } from "./get-automation.ts";
import { nextRunAt } from "./next-run-at.ts";

/** Also pauses and enables. Times missed while paused are skipped. */
export async function updateAutomation(
  deps: Deps,
  caller: Caller,
  { id, references, subscribers, schedule, budget, ...content }: UpdateAutomation,
): Promise<Automation> {
  if (content.agent) await checkAgent(deps, caller, content.agent);
  return deps.db.transaction(async (tx) => {
    const before = await lockAutomation(tx, caller, id);
    const updatedAt = deps.clock.now();
    if (references) {
      const create = await checkReferences({ ...deps, tx }, caller, references);
      await tx.automationReference.deleteMany({ where: { automationId: id } });
      await tx.automation.update({ where: { id }, data: { references: { create } } });
    }
    if (subscribers) {
      const data = await checkSubscribers(tx, caller, subscribers);
      await tx.automationSubscriber.deleteMany({ where: { automationId: id } });
      await tx.automationSubscriber.createMany({ data: data.map((row) => ({ automationId: id, ...row })) });
    }
    const after = {
      enabled: content.enabled ?? before.enabled,
      schedule: schedule === undefined ? before.schedule : schedule,
    };
    // A form sends the schedule with every change. A time that is due must not be lost then.
    const isScheduleChanged =
      after.enabled !== before.enabled || !isDeepStrictEqual(after.schedule, before.schedule);
    const row = await tx.automation.update({
      where: { id },
      data: {
        name: content.name ?? before.name,
        instruction: content.instruction ?? before.instruction,
        agent: content.agent ?? before.agent,
        ...(budget && toBudgetColumns(budget)),
        allowsSql: content.allowsSql ?? before.allowsSql,
        whenBusy: content.whenBusy ?? before.whenBusy,
        timeLimitSeconds: content.timeLimitSeconds ?? before.timeLimitSeconds,
        enabled: after.enabled,
        schedule: after.schedule ?? Prisma.DbNull,
        ...(isScheduleChanged && { nextRunAt: nextRunAt(after, updatedAt) }),
        updatedAt,
      },
      include: withContent,
    });
    return toAutomation(row);
  });
}
