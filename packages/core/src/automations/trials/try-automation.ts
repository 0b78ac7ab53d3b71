import type { Tx } from "@querybell/db";
import {
  AppError,
  type AutomationRun,
  type Caller,
  maxTrialSeconds,
  type TryAutomation,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { lockRow } from "../../lock-row.ts";
import { triggerOf } from "../../runs/start-run.ts";
import { checkAgent } from "../check-agent.ts";
import { insertAutomation } from "../create-automation.ts";
import { toNewRun } from "../runs/automation-run-row.ts";
import {
  automationNotFound,
  insertAutomationRunIn,
  type InsertedRun,
} from "../runs/insert-automation-run.ts";

/**
 * Runs values that are not saved, once: without an event and without notifications. The run belongs to an automation of
 * its own, which is deleted from the beginning, so that no list shows it and no other run waits for it.
 */
export async function tryAutomation(
  deps: Deps,
  caller: Caller,
  { id, ...content }: TryAutomation,
): Promise<AutomationRun> {
  await checkAgent(deps, caller, content.agent);
  const run = await deps.db.transaction(async (tx) => {
    // Trials that a person starts at the same moment are checked one after the other.
    await lockRow(tx, { table: "users", key: { id: caller.userId }, strength: "NO KEY UPDATE" });
    await checkTrial(tx, caller, id);
    const automation = await insertAutomation({ ...deps, tx }, caller, {
      ...content,
      timeLimitSeconds: Math.min(content.timeLimitSeconds, maxTrialSeconds),
      schedule: null,
      enabled: true,
      whenBusy: "refuse",
      subscribers: [],
    });
    const { organizationId } = caller;
    const inserted = await insertAutomationRunIn(
      { ...deps, tx },
      { automationId: automation.id, organizationId, triggerId: triggerOf(caller), scheduledFor: null },
    );
    if (inserted.kind !== "created") throw new Error("A new automation did not take its first run.");
    await markAsTrial(tx, inserted.run, id);
    const deletedAt = deps.clock.now();
    await tx.automation.update({ where: { id: automation.id }, data: { deletedAt } });
    return inserted.run;
  });
  return { ...toNewRun(deps, run), isTrial: true };
}

async function checkTrial(tx: Tx, caller: Caller, id: string | undefined): Promise<void> {
  const { organizationId } = caller;
  if (id !== undefined) {
    const edited = await tx.automation.findFirst({ where: { id, organizationId, deletedAt: null } });
    if (!edited) throw automationNotFound();
  }
  const unfinished = await tx.automationRun.findFirst({
    where: {
      organizationId,
      triggerId: triggerOf(caller),
      isTrial: true,
      status: { in: ["pending", "running"] },
    },
  });
  if (!unfinished) return;
  throw new AppError("automation_busy", "A trial of yours is unfinished. Wait until it ends, or stop it.");
}

async function markAsTrial(tx: Tx, { id }: InsertedRun, comparedWith: string | undefined): Promise<void> {
  const extra = JSON.stringify(comparedWith === undefined ? {} : { comparedWith });
  await tx.$executeRaw`
    UPDATE automation_runs SET is_trial = true, brief = brief || ${extra}::jsonb WHERE id = ${id}::uuid`;
}
