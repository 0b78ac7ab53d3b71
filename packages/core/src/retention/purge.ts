import { deleteOldRows, inBatches } from "@querybell/db";
import { type Clock, endedInvitationDays, mcpCallDays, rowVersionDays } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { purgeUnusedClients } from "../oauth/clients.ts";
import { purgeHelpRequests } from "../sql-help/help-requests.ts";

const daysAgo = (clock: Clock, days: number): Date =>
  new Date(clock.now().getTime() - days * 24 * 60 * 60 * 1000);

/** A trial is for the person who edits an automation, now. */
const trialDays = 1;

/** A deletion can be undone for a minute. */
const deletionDays = 1;

/** A second use of a code is noticed for so long. */
const usedCodeDays = 1;

interface PurgedHistory {
  drafts: number;
  trials: number;
  automationRuns: number;
  queryRuns: number;
  dashboardRefreshes: number;
  notifications: number;
  auditEntries: number;
  helpRequests: number;
  deletions: number;
  mcpCalls: number;
  messagePictures: number;
}

/**
 * Deletes runs, notifications and audit entries that are older than the operator's retention periods. Of each query and
 * each automation, the last run and the last completed run of the time before the period are kept: lists show them, and
 * a page that continues an older list must still find them.
 */
export async function purgeHistory({
  db,
  clock,
  deployment,
}: Pick<Deps, "db" | "clock" | "deployment">): Promise<PurgedHistory> {
  const { retention } = deployment;
  const purge = (what: keyof typeof old, days: number) =>
    deleteOldRows(db.pool, { ...old[what], before: daysAgo(clock, days) });
  return {
    drafts: await inBatches(db.pool, expiredDrafts, { days: 0, batchSize: 50 }),
    // Trials and automation runs first, because a query run is kept for as long as a chat shows it.
    trials: await inBatches(db.pool, oldTrials, { days: trialDays, batchSize: 50 }),
    automationRuns: await purge("automationRuns", retention.automationRunDays),
    queryRuns: await purge("queryRuns", retention.queryRunDays),
    dashboardRefreshes: await purge("dashboardRefreshes", retention.queryRunDays),
    notifications: await purge("notifications", retention.notificationDays),
    auditEntries: await purge("auditEntries", retention.auditDays),
    helpRequests: await purgeHelpRequests({ db, clock }),
    deletions: await purge("deletions", deletionDays),
    mcpCalls: await purge("mcpCalls", mcpCallDays),
    messagePictures: await inBatches(db.pool, expiredPictures, { days: 0, batchSize: 100 }),
  };
}

// Its trials are removed with it. A trial that still runs keeps its draft until it has ended. The condition is repeated,
// because the draft may be used again while this waits for its lock.
const hasExpired = "expires_at <= querybell_now() - make_interval(days => $1)";
const expiredDrafts = `
  DELETE FROM query_drafts WHERE ${hasExpired} AND id IN (
    SELECT d.id FROM query_drafts d WHERE ${hasExpired} AND (
      SELECT true FROM queries q JOIN query_runs r ON r.query_id = q.id
      WHERE q.draft_id = d.id AND r.status IN ('pending', 'running') LIMIT 1) IS NULL
    ORDER BY d.expires_at LIMIT $2)`;

const expiredPictures = `
  DELETE FROM message_pictures WHERE token_hash IN (
    SELECT token_hash FROM message_pictures WHERE expires_at <= querybell_now() - make_interval(days => $1)
    ORDER BY expires_at LIMIT $2)`;

// The automation of a trial belongs to it alone.
const oldTrials = `
  DELETE FROM automations WHERE id IN (
    SELECT automation_id FROM automation_runs
    WHERE is_trial AND created_at < querybell_now() - make_interval(days => $1) AND completed_at IS NOT NULL LIMIT $2)`;

/**
 * True for a run `r` that ended before the period, if a later run did too; if `r` is completed, a later
 * completed run. A run that ended before the period also began before it, so the search never reads runs of
 * the period.
 */
const isSuperseded = (table: string, parent: string) => `
  r.completed_at < $3 AND (
    SELECT true FROM ${table} later
    WHERE later.${parent} = r.${parent} AND (later.created_at, later.id) > (r.created_at, r.id) AND later.created_at < $3
      AND later.completed_at < $3 AND (later.status = 'completed' OR r.status <> 'completed')
    ORDER BY later.created_at DESC, later.id DESC LIMIT 1) IS NOT NULL`;

const old = {
  automationRuns: {
    table: "automation_runs",
    condition: isSuperseded("automation_runs", "automation_id"),
    batchSize: 50,
  },
  queryRuns: {
    table: "query_runs",
    condition: `${isSuperseded("query_runs", "query_id")}
      AND (SELECT true FROM query_results q WHERE q.run_id = r.id) IS NULL
      AND (SELECT true FROM past_results p WHERE p.run_id = r.id) IS NULL
      AND (SELECT true FROM automation_steps s WHERE s.query_run_id = r.id LIMIT 1) IS NULL`,
    batchSize: 500,
  },
  // Those whose runs are all deleted.
  dashboardRefreshes: {
    table: "dashboard_refreshes",
    condition:
      "r.created_at < $3 AND (SELECT true FROM dashboard_refresh_charts c WHERE c.refresh_id = r.id LIMIT 1) IS NULL",
    batchSize: 500,
  },
  notifications: { table: "notifications", condition: "r.created_at < $3", batchSize: 500 },
  auditEntries: { table: "audit_entries", condition: "r.at < $3", batchSize: 500 },
  deletions: { table: "deletions", condition: "r.deleted_at < $3", batchSize: 500 },
  mcpCalls: { table: "mcp_calls", condition: "r.at < $3", batchSize: 500 },
};

/** Deletes expired results, each as many days after it expired as its organization has chosen. */
export async function purgeExpiredResults({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const { rowCount } = await db.pool.query({
    name: "purge_expired_results",
    text: `
      DELETE FROM query_results r USING organizations o
      WHERE r.expires_at <= $1 AND o.id = r.organization_id
        AND r.expires_at <= $1 - make_interval(days => o.expired_result_days)`,
    values: [clock.now()],
  });
  return rowCount ?? 0;
}

/** Deletes old row versions. Every cursor that could need them has expired. */
export async function purgeRowVersions({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const { count } = await db.prisma.rowVersion.deleteMany({
    where: { replacedAt: { lt: daysAgo(clock, rowVersionDays) } },
  });
  return count;
}

/** Deletes expired sessions, tokens, links and counts of sign-ins, invitations that expired a month ago, and programs that nobody has connected. */
export async function purgeExpiredIdentity({ db, clock }: Pick<Deps, "db" | "clock">) {
  const now = clock.now();
  const [sessions, verifications, invitations] = await Promise.all([
    db.prisma.session.deleteMany({ where: { expiresAt: { lt: now } } }),
    db.prisma.verification.deleteMany({ where: { expiresAt: { lt: now } } }),
    db.prisma.invitation.deleteMany({ where: { expiresAt: { lt: daysAgo(clock, endedInvitationDays) } } }),
    db.prisma.signInLimit.deleteMany({ where: { windowEndsAt: { lt: now } } }),
    db.prisma.signInRequest.deleteMany({ where: { expiresAt: { lt: now } } }),
    // A bucket is full again after a minute, and a little more if it was below zero.
    db.prisma.callBudget.deleteMany({ where: { countedAt: { lt: new Date(now.getTime() - 3_600_000) } } }),
    db.prisma.openSubscription.deleteMany({ where: { expiresAt: { lt: now } } }),
    db.prisma.oauthCode.deleteMany({ where: { expiresAt: { lt: daysAgo(clock, usedCodeDays) } } }),
    db.prisma.oauthToken.deleteMany({ where: { expiresAt: { lt: now } } }),
  ]);
  await purgeUnusedClients({ db, clock });
  return { sessions: sessions.count, verifications: verifications.count, invitations: invitations.count };
}
