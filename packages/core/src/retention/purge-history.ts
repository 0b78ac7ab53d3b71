import { inBatches } from "@querybell/db";
import type { Deps } from "../deps.ts";

/** Small, so that no lock is held for long. A run of an automation is deleted with all steps of its chat. */
const batchSizes = { trials: 50, automationRuns: 50, queryRuns: 500, notifications: 500, auditEntries: 500 };

/** A trial is for the person who edits an automation, now. */
const trialDays = 1;

interface PurgedHistory {
  trials: number;
  automationRuns: number;
  queryRuns: number;
  notifications: number;
  auditEntries: number;
}

/**
 * Deletes trials of more than a day ago, and runs, notifications and audit entries that are older than the operator's
 * retention periods. Of each query and each automation, the last run and the last completed run of the time before the
 * period are kept: lists show them, and a page that continues an older list must still find them.
 */
export async function purgeHistory({
  db,
  deployment,
}: Pick<Deps, "db" | "deployment">): Promise<PurgedHistory> {
  const { retention } = deployment;
  const purge = (what: keyof PurgedHistory, days: number) =>
    inBatches(db.pool, statements[what], { days, batchSize: batchSizes[what] });
  return {
    // Trials and automation runs first, because a query run is kept for as long as a chat shows it.
    trials: await purge("trials", trialDays),
    automationRuns: await purge("automationRuns", retention.automationRunDays),
    queryRuns: await purge("queryRuns", retention.queryRunDays),
    notifications: await purge("notifications", retention.notificationDays),
    auditEntries: await purge("auditEntries", retention.auditDays),
  };
}

const cutoff = "querybell_now() - make_interval(days => $1)";

/** A run `r` that ended before the cutoff, as did a later one, and a later completed one if it is completed. */
const isSuperseded = (table: string, parent: string) => `
  r.created_at < ${cutoff} AND r.completed_at < ${cutoff}
  AND EXISTS (
    SELECT FROM ${table} later
    WHERE later.${parent} = r.${parent} AND (later.created_at, later.id) > (r.created_at, r.id)
      AND later.completed_at < ${cutoff} AND (later.status = 'completed' OR r.status <> 'completed'))`;

const statements: Record<keyof PurgedHistory, string> = {
  // The automation of a trial belongs to it alone.
  trials: `
    DELETE FROM automations WHERE id IN (
      SELECT r.automation_id FROM automation_runs r
      WHERE r.is_trial AND r.created_at < ${cutoff} AND r.completed_at IS NOT NULL LIMIT $2)`,
  automationRuns: `
    DELETE FROM automation_runs WHERE id IN (
      SELECT r.id FROM automation_runs r WHERE ${isSuperseded("automation_runs", "automation_id")} LIMIT $2)`,
  queryRuns: `
    DELETE FROM query_runs WHERE id IN (
      SELECT r.id FROM query_runs r
      WHERE ${isSuperseded("query_runs", "query_id")}
        AND NOT EXISTS (SELECT FROM query_results q WHERE q.run_id = r.id)
        AND NOT EXISTS (SELECT FROM automation_steps s WHERE s.query_run_id = r.id)
      LIMIT $2)`,
  notifications: `
    DELETE FROM notifications WHERE id IN (
      SELECT id FROM notifications WHERE created_at < ${cutoff} LIMIT $2)`,
  auditEntries: `
    DELETE FROM audit_entries WHERE id IN (SELECT id FROM audit_entries WHERE at < ${cutoff} LIMIT $2)`,
};
