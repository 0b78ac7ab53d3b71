import { lastTime, Schedule } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { withContent } from "./automation-row.ts";
import { nextRunAt } from "./next-run-at.ts";
import { insertAutomationRun } from "./runs/insert-automation-run.ts";

interface Expanded {
  triggered: number;
  /** Scheduled times that were skipped because the automation was busy. */
  skipped: number;
}

/**
 * Creates a run of every automation that is due. Several workers may do this concurrently: one of them locks the
 * automation, and creates the run and sets the next time in one transaction. After a downtime, one run is created for
 * the latest missed time; earlier missed times are skipped. Errors are thrown after all automations were processed.
 */
export async function expandSchedules(deps: Pick<Deps, "db" | "clock">): Promise<Expanded> {
  const expanded = { triggered: 0, skipped: 0 };
  const tried: string[] = [];
  const errors: unknown[] = [];
  for (let due = await findDue(deps, tried); due.length > 0; due = await findDue(deps, tried)) {
    for (const id of due) {
      tried.push(id);
      try {
        const kind = await expand(deps, id);
        if (kind === "created") expanded.triggered++;
        if (kind === "busy") expanded.skipped++;
      } catch (error) {
        errors.push(error);
      }
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "Some schedules could not be expanded.");
  return expanded;
}

/** Due automations, round-robin over the organizations, so that one organization cannot delay the others. */
async function findDue({ db }: Pick<Deps, "db">, tried: string[]): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>({
    name: "find_due_automations",
    text: `
      SELECT id FROM automations WHERE next_run_at <= querybell_now() AND id <> ALL($1::uuid[])
      ORDER BY row_number() OVER (PARTITION BY organization_id ORDER BY next_run_at, id), next_run_at, id
      LIMIT 1000`,
    values: [tried],
  });
  return rows.map(({ id }) => id);
}

/** Creates the run of one due automation. Undefined when another worker does it or has done it. */
async function expand({ db, clock }: Pick<Deps, "db" | "clock">, id: string) {
  return db.transaction(async (tx) => {
    // Uses the time of the database, so that workers with different clocks agree.
    const [due] = await tx.$queryRaw<{ now: Date; dueAt: Date }[]>`
      SELECT querybell_now() AS now, next_run_at AS "dueAt" FROM automations
      WHERE id = ${id}::uuid AND next_run_at <= querybell_now() FOR UPDATE SKIP LOCKED`;
    if (!due) return undefined;
    const { now, dueAt } = due;
    const automation = await tx.automation.findUniqueOrThrow({ where: { id }, include: withContent });
    const justBefore = new Date(dueAt.getTime() - 1);
    const missed = lastTime(Schedule.parse(automation.schedule), { after: justBefore, upTo: now });
    const scheduledFor = missed ?? dueAt;
    const created = await insertAutomationRun({ tx, clock }, automation, {
      triggerId: "schedule",
      scheduledFor,
    });
    await tx.automation.update({
      where: { id },
      data: {
        nextRunAt: nextRunAt(automation, now),
        ...(created.kind === "busy" && { lastSkippedAt: scheduledFor }),
      },
    });
    return created.kind;
  });
}
