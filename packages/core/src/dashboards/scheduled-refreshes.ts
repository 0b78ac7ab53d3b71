import { onPool, type Tx, withRights } from "@querybell/db";
import { AppError, nextTime, Schedule } from "@querybell/domain";
import { findActingMember } from "../access/find-acting-member.ts";
import { readRights } from "../access/rights-cache.ts";
import type { Deps } from "../deps.ts";
import { doWhatIsDue } from "../due-times.ts";
import { notifyOfRefresh } from "../notifications/notify-of-refresh.ts";
import { startRefresh } from "./refresh-dashboard.ts";

interface Refreshed {
  started: number;
  /** Dashboards of which no chart could be run. */
  failed: number;
}

/**
 * Refreshes every dashboard whose scheduled time has come, with the rights of the person who set the schedule. Several
 * workers may do this concurrently: the transaction that starts a refresh sets the next time. After a downtime, there is one
 * refresh for all missed times.
 */
export async function refreshDueDashboards(deps: Deps): Promise<Refreshed> {
  const refreshed = { started: 0, failed: 0 };
  await doWhatIsDue(
    (tried) => findDue(deps, tried),
    async (due) => {
      const outcome = await refreshDue(deps, due);
      if (outcome !== "not due") refreshed[outcome]++;
    },
  );
  return refreshed;
}

interface DueDashboard {
  id: string;
  organizationId: string;
  schedule: unknown;
  ownerId: string | null;
  dueAt: Date;
  /** The time of the database, so that workers with different clocks agree. */
  now: Date;
}

/** Due dashboards, round-robin over the organizations, as for automations. */
async function findDue({ db }: Pick<Deps, "db">, tried: readonly string[]): Promise<DueDashboard[]> {
  const { rows } = await db.pool.query<DueDashboard>({
    name: "find_due_dashboards",
    text: `
      SELECT id, organization_id AS "organizationId", refresh_schedule AS schedule, refresh_owner_id AS "ownerId",
        next_refresh_at AS "dueAt", querybell_now() AS now
      FROM dashboards
      WHERE next_refresh_at <= querybell_now() AND deleted_at IS NULL AND archived_at IS NULL AND id <> ALL($1::uuid[])
      ORDER BY row_number() OVER (PARTITION BY organization_id ORDER BY next_refresh_at, id), next_refresh_at, id
      LIMIT 1000`,
    values: [tried],
  });
  return rows;
}

async function refreshDue(deps: Deps, due: DueDashboard): Promise<"started" | "failed" | "not due"> {
  const { id, organizationId, ownerId, dueAt } = due;
  const nextAt = nextTime(Schedule.parse(due.schedule), due.now);
  const caller =
    ownerId === null ? undefined : await findActingMember(deps, { organizationId, userId: ownerId });
  try {
    if (!caller) throw new AppError("forbidden", ownerHasLeft);
    const rights = await readRights(onPool(deps.db), caller);
    const refresh = await withRights(rights, () =>
      startRefresh(deps, caller, { id, scheduled: { dueAt, nextAt } }),
    );
    return refresh ? "started" : "not due";
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    const failure = error.code === "not_found" ? ownerDoesNotSee : error.message;
    return deps.db.transaction(async (tx) => {
      const before = await lockForOutcome(tx, id);
      if (before?.nextRefreshAt?.getTime() !== dueAt.getTime()) return "not due";
      await tx.dashboard.update({ where: { id }, data: { nextRefreshAt: nextAt }, select: { id: true } });
      await writeOutcome({ ...deps, tx }, before, failure);
      return "failed";
    });
  }
}

const ownerHasLeft =
  "The person who set the schedule is not a member any more, or only a viewer. Save the schedule again, and it is refreshed with your rights.";
const ownerDoesNotSee =
  "The person who set the schedule does not see the dashboard any more. Save the schedule again, and it is refreshed with your rights.";

/** Looks at how refreshes by schedule have ended, and tells of those that begin to fail. Returns how many failed. */
export async function noteEndedRefreshes(deps: Deps): Promise<number> {
  let failed = 0;
  await doWhatIsDue(
    (tried) => findEnded(deps, tried),
    async (ended) => {
      if (await noteEnd(deps, ended)) failed++;
    },
  );
  return failed;
}

interface EndedRefresh {
  /** Of the dashboard. */
  id: string;
  refreshId: string;
  runs: number;
  failedRuns: number;
  cancelledRuns: number;
}

async function findEnded({ db }: Pick<Deps, "db">, tried: readonly string[]): Promise<EndedRefresh[]> {
  const { rows } = await db.pool.query<EndedRefresh>({
    name: "find_ended_scheduled_refreshes",
    text: `
      SELECT d.id, d.scheduled_refresh_id AS "refreshId", ended.*
      FROM dashboards d CROSS JOIN LATERAL (
        SELECT count(*)::int AS runs,
          (count(*) FILTER (WHERE r.failure_code = 'cancelled'))::int AS "cancelledRuns",
          (count(*) FILTER (WHERE r.failure_code <> 'cancelled'))::int AS "failedRuns",
          coalesce(bool_and(r.status IN ('completed', 'failed')), true) AS "hasEnded"
        FROM query_runs r WHERE r.refresh_id = d.scheduled_refresh_id) AS ended
      WHERE d.scheduled_refresh_id IS NOT NULL AND "hasEnded" AND d.id <> ALL($1::uuid[])
      LIMIT 1000`,
    values: [tried],
  });
  return rows;
}

/** A refresh that somebody has cancelled says nothing of the next one. */
async function noteEnd(
  deps: Deps,
  { id, refreshId, runs, failedRuns, cancelledRuns }: EndedRefresh,
): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const before = await lockForOutcome(tx, id);
    if (before?.scheduledRefreshId !== refreshId) return false;
    await tx.dashboard.update({ where: { id }, data: { scheduledRefreshId: null }, select: { id: true } });
    if (failedRuns === 0 && cancelledRuns > 0) return false;
    const sentence = `${failedRuns} of ${runs} queries failed. Their tiles say why.`;
    await writeOutcome({ ...deps, tx }, before, failedRuns === 0 ? null : sentence);
    return failedRuns > 0;
  });
}

type Locked = NonNullable<Awaited<ReturnType<typeof lockForOutcome>>>;

async function lockForOutcome(tx: Tx, id: string) {
  await tx.$queryRaw`SELECT id FROM dashboards WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  return tx.dashboard.findUnique({
    where: { id },
    select: {
      id: true,
      organizationId: true,
      title: true,
      createdBy: true,
      refreshOwnerId: true,
      nextRefreshAt: true,
      scheduledRefreshId: true,
      refreshFailure: true,
    },
  });
}

/** Tells of the first failure, and not of those that follow it. */
async function writeOutcome(
  deps: { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">,
  before: Locked,
  failure: string | null,
): Promise<void> {
  const { id } = before;
  await deps.tx.dashboard.update({ where: { id }, data: { refreshFailure: failure }, select: { id: true } });
  if (failure !== null && before.refreshFailure === null) await notifyOfRefresh(deps, before, failure);
}
