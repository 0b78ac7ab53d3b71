/** A change of a line that a test must notice. */
export interface Mutant {
  file: string;
  /** Stands in the file exactly once, or is followed by what makes it so. */
  from: string;
  to: string;
}

const renewal = "packages/core/src/leases/keep-lease.ts";
const queryClaims = "prisma/functions/claim_query_run.sql";
const automationClaims = "prisma/functions/claim_automation_run.sql";
const externalClaims = "prisma/functions/claim_external_run.sql";
const steps = "prisma/functions/write_automation_step.sql";
const completion = "prisma/functions/complete_query_run.sql";
const ending = "prisma/functions/end_automation_run.sql";
const failing = "packages/core/src/runs/end-run.ts";
const attempts = "packages/core/src/leases/run-lease.ts";
const deaths = "prisma/functions/count_host_death.sql";
const pumps = "packages/webhooks/src/pump/leases.ts";

/** The two functions differ in what waits, since when, and what runs. */
const claimMutants = (file: string, name: string, since: string): Mutant[] => [
  { file, from: "lease_number = lease_number + 1, ", to: "" },
  { file, from: "AND lease_until < now() AND organization_id", to: "AND organization_id" },
  {
    file,
    from: "lease_until < now() AND organization_id <> ALL (full_organizations)",
    to: "lease_until < now()",
  },
  {
    file,
    from: `PERFORM pg_advisory_xact_lock(hashtextextended('${name}', 0));`,
    to: `PERFORM hashtextextended('${name}', 0);`,
  },
  { file, from: "runs >= organization_ceiling", to: "runs > organization_ceiling" },
  { file, from: "total >= total_ceiling", to: "total > total_ceiling" },
  { file, from: " AND lease_until >= now()\n    GROUP BY", to: "\n    GROUP BY" },
  { file, from: "ORDER BY live.runs, oldest.since", to: "ORDER BY oldest.since" },
  { file, from: "ORDER BY live.runs, oldest.since", to: "ORDER BY live.runs" },
  {
    file,
    from: `ORDER BY ${since}, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
    to: `ORDER BY ${since}, id LIMIT 1 FOR NO KEY UPDATE`,
  },
  {
    file,
    from: `ORDER BY ${since}, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
    to: `ORDER BY ${since}, id LIMIT 1 FOR UPDATE SKIP LOCKED`,
  },
  { file, from: "lease_until = now() + make_interval(secs => lease_seconds)", to: "lease_until = now()" },
  { file, from: "coalesce(started_at, claimed_at)", to: "claimed_at" },
];

/**
 * Leases are SQL for the most part, in which a general tool changes nothing but whole strings. So these are written by
 * hand: each takes away one condition of a claim, a renewal, a release, or the end of a run.
 */
export const leaseMutants: Record<"runs" | "pumps", Mutant[]> = {
  runs: [
    ...claimMutants(queryClaims, "claim_query_run", "created_at"),
    ...claimMutants(automationClaims, "claim_automation_run", "ready_at"),
    { file: automationClaims, from: "coalesce(deadline_at, claimed_at +", to: "(claimed_at +" },
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
      file: steps,
      from: "WHERE r.id = chosen_run AND r.lease_number = chosen_lease AND r.status = 'running' RETURNING",
      to: "WHERE r.id = chosen_run AND r.status = 'running' RETURNING",
    },
    {
      file: externalClaims,
      from: "(status = 'pending' OR (lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at))",
      to: "(status = 'pending' OR (lease_number < max_attempts AND deadline_at > claimed_at))",
    },
    {
      file: externalClaims,
      from: "(lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at))",
      to: "(lease_until < now() AND deadline_at > claimed_at))",
    },
    {
      file: externalClaims,
      from: "(lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at))",
      to: "(lease_until < now() AND lease_number < max_attempts))",
    },
    {
      file: externalClaims,
      from: "      AND lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at\n",
      to: "      AND lease_number < max_attempts AND deadline_at > claimed_at\n",
    },
    {
      file: externalClaims,
      from: "      AND lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at\n",
      to: "      AND lease_until < now() AND deadline_at > claimed_at\n",
    },
    {
      file: externalClaims,
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
