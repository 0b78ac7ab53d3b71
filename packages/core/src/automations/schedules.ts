import {
  lastTime,
  maxQueuedRuns,
  newId,
  nextTime,
  nextTimes,
  type PreviewSchedule,
  Schedule,
  type SchedulePreview,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { doWhatIsDue } from "../due-times.ts";
import { newShortId } from "../organizations/permalinks.ts";

interface Expanded {
  triggered: number;
  /** Scheduled times that were skipped because the automation was busy. */
  skipped: number;
}

/**
 * Creates a run of every automation that is due. Several workers may do this concurrently: one of them locks the
 * automation, creates the run and sets the next time in one statement. After a downtime, one run is created for
 * the latest missed time; earlier missed times are skipped. Errors are thrown after all automations were processed.
 */
export async function expandSchedules(deps: Pick<Deps, "db" | "clock">): Promise<Expanded> {
  const expanded = { triggered: 0, skipped: 0 };
  await doWhatIsDue(
    (tried) => findDue(deps, tried),
    async (automation) => {
      const outcome = await expand(deps, automation);
      if (outcome === "created") expanded.triggered++;
      else if (outcome) expanded.skipped++;
    },
  );
  return expanded;
}

interface DueAutomation {
  id: string;
  schedule: unknown;
  dueAt: Date;
  /** The time of the database, so that workers with different clocks agree. */
  now: Date;
}

/** Due automations, round-robin over the organizations, so that one organization cannot delay the others. */
async function findDue({ db }: Pick<Deps, "db">, tried: readonly string[]): Promise<DueAutomation[]> {
  const { rows } = await db.pool.query<DueAutomation>({
    name: "find_due_automations",
    text: `
      SELECT id, schedule, next_run_at AS "dueAt", querybell_now() AS now
      FROM automations WHERE next_run_at <= querybell_now() AND id <> ALL($1::uuid[])
      ORDER BY row_number() OVER (PARTITION BY organization_id ORDER BY next_run_at, id), next_run_at, id
      LIMIT 1000`,
    values: [tried],
  });
  return rows;
}

/** Creates the run of one due automation. Null when another worker does it, or when the time has a run already. */
async function expand(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { id, schedule, dueAt, now }: DueAutomation,
): Promise<string | null> {
  const justBefore = new Date(dueAt.getTime() - 1);
  const missed = lastTime(Schedule.parse(schedule), { after: justBefore, upTo: now });
  const { rows } = await db.pool.query<{ outcome: string | null }>({
    name: "run_due_automation",
    text: "SELECT run_due_automation($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS outcome",
    values: [
      id,
      JSON.stringify(schedule),
      dueAt,
      missed ?? dueAt,
      nextRunAt({ enabled: true, schedule }, now),
      newId(clock),
      newShortId(),
      newId(clock),
      clock.now(),
      maxQueuedRuns,
    ],
  });
  return rows[0]?.outcome ?? null;
}

interface Scheduled {
  enabled: boolean;
  schedule: unknown;
}

/** The next scheduled time after a given time. Null for paused automations and those without a schedule. */
export const nextRunAt = ({ enabled, schedule }: Scheduled, after: Date): Date | null =>
  enabled && schedule !== null ? nextTime(Schedule.parse(schedule), after) : null;

/** The next times of a schedule that is not saved yet. */
export const previewSchedule = (
  { clock }: Pick<Deps, "clock">,
  { schedule }: PreviewSchedule,
): SchedulePreview => ({ nextTimes: nextTimes(schedule, clock.now(), 3).map((time) => time.toISOString()) });
