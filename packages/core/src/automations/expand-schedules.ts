import { lastTime, Schedule } from "@querybell/domain";
import { insertAutomationRun } from "../automation-runs/insert-automation-run.ts";
import type { Deps } from "../deps.ts";
import { withReferences } from "./automation-row.ts";
import { nextRunAt } from "./next-run-at.ts";

interface Expanded {
  triggered: number;
  /** Times at which an automation was too busy. */
  skipped: number;
}

/**
 * Starts a run of every automation whose time has come. Any number of workers may do this at once: each due
 * automation is locked by one of them, and moved on to its next time in the transaction that makes its run.
 * After a downtime, one run stands for all the times that were missed: the latest of them.
 */
export async function expandSchedules(deps: Pick<Deps, "db" | "clock">): Promise<Expanded> {
  const expanded = { triggered: 0, skipped: 0 };
  for (;;) {
    const kind = (await isAnyDue(deps)) ? await expandNext(deps) : undefined;
    if (kind === undefined) return expanded;
    expanded[kind === "made" ? "triggered" : "skipped"]++;
  }
}

/** Mostly none is: that is found out without a transaction. */
async function isAnyDue({ db }: Pick<Deps, "db">): Promise<boolean> {
  const { rowCount } = await db.pool.query({
    name: "find_due_automation",
    text: "SELECT 1 FROM automations WHERE next_run_at <= querybell_now() LIMIT 1",
  });
  return rowCount === 1;
}

async function expandNext({ db, clock }: Pick<Deps, "db" | "clock">) {
  return db.transaction(async (tx) => {
    // The database's time decides, so that workers whose clocks differ do the same.
    const [due] = await tx.$queryRaw<{ id: string; now: Date }[]>`
      SELECT id::text, querybell_now() AS now FROM automations WHERE next_run_at <= querybell_now()
      ORDER BY next_run_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
    if (!due) return undefined;
    const { id, now } = due;
    const automation = await tx.automation.findUniqueOrThrow({ where: { id }, include: withReferences });
    const dueAt = automation.nextRunAt ?? now;
    const justBefore = new Date(dueAt.getTime() - 1);
    const missed = lastTime(Schedule.parse(automation.schedule), { after: justBefore, upTo: now });
    const scheduledFor = missed ?? dueAt;
    const made = await insertAutomationRun({ tx, clock }, automation, {
      triggerId: "schedule",
      scheduledFor,
    });
    await tx.automation.update({
      where: { id },
      data: {
        nextRunAt: nextRunAt(automation, now),
        ...(made.kind === "busy" && { lastSkippedAt: scheduledFor }),
      },
    });
    return made.kind;
  });
}
