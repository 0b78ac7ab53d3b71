/** A change of a line that a test must notice. */
export interface Mutant {
  file: string;
  /** Stands in the file exactly once, or is followed by what makes it so. */
  from: string;
  to: string;
}

const renewal = "packages/core/src/leases/keep-lease.ts";
const claims = "prisma/migrations/20261115160000_fair_claims/migration.sql";
const automationRuns = "prisma/migrations/20261115224500_runs_in_one_call/migration.sql";
const completion = "prisma/migrations/20261116022000_query_runs_in_one_call/migration.sql";
const ending = "prisma/migrations/20261116032000_trials/migration.sql";
const failing = "packages/core/src/runs/end-run.ts";
const attempts = "packages/core/src/leases/run-lease.ts";
const deaths = "prisma/migrations/20261117014813_host_deaths/migration.sql";
const pumps = "packages/webhooks/src/pump/leases.ts";

/**
 * Leases are SQL for the most part, in which a general tool changes nothing but whole strings. So these are written by
 * hand: each takes away one condition of a claim, a renewal, a release, or the end of a run.
 */
export const leaseMutants: Record<"runs" | "pumps", Mutant[]> = {
  runs: [
    { file: claims, from: "lease_number = lease_number + 1, %6$s", to: "%6$s" },
    {
      file: claims,
      from: "WHERE %5$s AND lease_until < now() AND organization_id",
      to: "WHERE %5$s AND organization_id",
    },
    {
      file: claims,
      from: "WHERE %5$s AND lease_until < now() AND organization_id <> ALL (full_organizations)",
      to: "WHERE %5$s AND lease_until < now()",
    },
    {
      file: claims,
      from: "PERFORM pg_advisory_xact_lock(hashtextextended(%1$L, 0));",
      to: "PERFORM hashtextextended(%1$L, 0);",
    },
    { file: claims, from: "runs >= organization_ceiling", to: "runs > organization_ceiling" },
    { file: claims, from: "total >= total_ceiling", to: "total > total_ceiling" },
    {
      file: claims,
      from: "WHERE %5$s AND lease_until >= now() GROUP BY",
      to: "WHERE %5$s GROUP BY",
    },
    { file: claims, from: "ORDER BY live.runs, oldest.since", to: "ORDER BY oldest.since" },
    { file: claims, from: "ORDER BY live.runs, oldest.since", to: "ORDER BY live.runs" },
    {
      file: claims,
      from: "ORDER BY %3$I, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
      to: "ORDER BY %3$I, id LIMIT 1 FOR NO KEY UPDATE",
    },
    {
      file: claims,
      from: "ORDER BY %3$I, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
      to: "ORDER BY %3$I, id LIMIT 1 FOR UPDATE SKIP LOCKED",
    },
    {
      file: claims,
      from: "lease_until = now() + make_interval(secs => lease_seconds)",
      to: "lease_until = now()",
    },
    { file: claims, from: "coalesce(started_at, claimed_at)", to: "claimed_at" },
    { file: claims, from: "coalesce(deadline_at, claimed_at +", to: "(claimed_at +" },
    {
      file: renewal,
      from: "WHERE id = $1 AND lease_number = $2 AND status = 'running'\n      RETURNING lease_until",
      to: "WHERE id = $1 AND $2 > 0 AND status = 'running'\n      RETURNING lease_until",
    },
    {
      file: renewal,
      from: "WHERE id = $1 AND lease_number = $2 AND status = 'running'\n      RETURNING lease_until",
      to: "WHERE id = $1 AND lease_number = $2\n      RETURNING lease_until",
    },
    { file: renewal, from: "now() + make_interval(secs => $3)", to: "now() + make_interval(secs => $3 * 0)" },
    { file: renewal, from: '"cancel_requested_at IS NOT NULL"', to: '"false"' },
    { file: renewal, from: "coalesce($4, progress_rows)", to: "$4" },
    { file: renewal, from: "coalesce($5, engine_progress)", to: "$5" },
    {
      file: renewal,
      from: "if (!renewed || renewed.isCancelRequested",
      to: "if (renewed?.isCancelRequested",
    },
    { file: renewal, from: "renewed.isCancelRequested || isLate()", to: "renewed.isCancelRequested" },
    {
      file: renewal,
      from: "!renewed || renewed.isCancelRequested || isLate()",
      to: "!renewed || isLate()",
    },
    { file: renewal, from: "      onError(error);", to: "      controller.abort(error);" },
    { file: renewal, from: "if (id === undefined || id === lease.id) renewNow();", to: "" },
    { file: renewal, from: "      clearInterval(timer);\n", to: "" },
    { file: renewal, from: "      unsubscribe();\n", to: "" },
    { file: renewal, from: "      await renewing;\n", to: "" },
    {
      file: renewal,
      from: "setInterval(renewNow, renewEveryMs)",
      to: "setInterval(renewNow, renewEveryMs * 60)",
    },
    {
      file: renewal,
      from: "AND lease_number = $2 AND status = 'running' RETURNING id",
      to: "AND $2 > 0 AND status = 'running' RETURNING id",
    },
    {
      file: renewal,
      from: "AND lease_number = $2 AND status = 'running' RETURNING id",
      to: "AND lease_number = $2 RETURNING id",
    },
    { file: renewal, from: "now() - interval '1 second'", to: "lease_until" },
    { file: renewal, from: "SELECT pg_notify(", to: "SELECT concat(" },
    {
      file: failing,
      from: 'where: { id, leaseNumber, status: "running" }',
      to: 'where: { id, status: "running" }',
    },
    { file: failing, from: "if (hasLease) for (const group", to: "for (const group" },
    {
      file: completion,
      from: "WHERE r.id = chosen_run AND r.lease_number = chosen_lease AND r.status",
      to: "WHERE r.id = chosen_run AND r.status",
    },
    {
      file: completion,
      from: "r.lease_number = chosen_lease AND r.status = 'running'\n",
      to: "r.lease_number = chosen_lease AND r.status <> 'failed'\n",
    },
    { file: renewal, from: ", released_lease = lease_number", to: "" },
    { file: deaths, from: 'OLD."host_deaths" + 1', to: 'OLD."host_deaths"' },
    { file: attempts, from: "maxHostDeaths = 2", to: "maxHostDeaths = 1" },
    { file: attempts, from: "maxHostDeaths = 2", to: "maxHostDeaths = 3" },
    { file: attempts, from: "leaseNumber <= maxAttempts", to: "leaseNumber < maxAttempts" },
    { file: attempts, from: "leaseNumber <= maxAttempts", to: "leaseNumber <= maxAttempts + 1" },
    {
      file: automationRuns,
      from: "WHERE r.id = chosen_run AND r.lease_number = chosen_lease AND r.status = 'running' RETURNING",
      to: "WHERE r.id = chosen_run AND r.status = 'running' RETURNING",
    },
    {
      file: automationRuns,
      from: "(status = 'pending' OR (lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at))",
      to: "(status = 'pending' OR (lease_number < max_attempts AND deadline_at > claimed_at))",
    },
    {
      file: automationRuns,
      from: "(lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at))",
      to: "(lease_until < now() AND deadline_at > claimed_at))",
    },
    {
      file: automationRuns,
      from: "(lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at))",
      to: "(lease_until < now() AND lease_number < max_attempts))",
    },
    {
      file: automationRuns,
      from: "      AND lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at\n",
      to: "      AND lease_number < max_attempts AND deadline_at > claimed_at\n",
    },
    {
      file: automationRuns,
      from: "      AND lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at\n",
      to: "      AND lease_until < now() AND deadline_at > claimed_at\n",
    },
    {
      file: automationRuns,
      from: "      AND lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at\n",
      to: "      AND lease_until < now() AND lease_number < max_attempts\n",
    },
    {
      file: ending,
      from: "(chosen_lease IS NULL OR r.lease_number = chosen_lease)",
      to: "true",
    },
  ],
  pumps: [
    {
      file: pumps,
      from: "VALUES ($1, now() + make_interval(secs => $2))",
      to: "VALUES ($1, now() + make_interval(secs => $2 * 0))",
    },
    {
      file: pumps,
      from: "SET lease_until = now() + make_interval(secs => $2) WHERE",
      to: "SET lease_until = lease_until + make_interval(secs => $2 * 0) WHERE",
    },
    { file: pumps, from: "WHERE lease_until < now() AND id <> $1", to: "WHERE id <> $1" },
    { file: pumps, from: "lease_until < now() AND id <> $1", to: "lease_until < now()" },
    { file: pumps, from: "AND id <> $1 FOR UPDATE SKIP LOCKED", to: "AND id <> $1 FOR UPDATE" },
    { file: pumps, from: "rows[0]?.hasLease ?? false", to: "rows.length > 0" },
    { file: pumps, from: '"DELETE FROM webhook_pumps WHERE id = $1"', to: '"SELECT $1::uuid"' },
    { file: pumps, from: "AND e.lease_owner IS NULL", to: "" },
    { file: pumps, from: "AND e.state = 'enabled'", to: "" },
    { file: pumps, from: "AND o.webhooks_enabled", to: "" },
    { file: pumps, from: "AND d.next_attempt_at <= querybell_now()", to: "" },
    { file: pumps, from: "d.endpoint_id = e.id AND d.state = 'pending'", to: "d.endpoint_id = e.id" },
    { file: pumps, from: "FOR NO KEY UPDATE OF e SKIP LOCKED", to: "FOR UPDATE OF e SKIP LOCKED" },
    { file: pumps, from: "FOR NO KEY UPDATE OF e SKIP LOCKED", to: "FOR NO KEY UPDATE OF e" },
    { file: pumps, from: "AND EXISTS (SELECT FROM webhook_pumps WHERE id = $1)", to: "" },
    { file: pumps, from: "AND lease_owner = $1", to: "AND $1::uuid IS NOT NULL" },
  ],
};
