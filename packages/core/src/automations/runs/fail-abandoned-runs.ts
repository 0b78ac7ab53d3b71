import type { AutomationFailure } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { maxAttempts } from "../../leases.ts";
import { endAutomationRun, type UnfinishedRun } from "./end-automation-run.ts";

interface AbandonedRun extends UnfinishedRun {
  code: keyof typeof failures;
}

/** Fails the runs that external agents have abandoned: never claimed in time, past the deadline, or out of attempts. */
export async function failAbandonedRuns(
  deps: Pick<Deps, "db" | "clock" | "sealer" | "deployment">,
): Promise<string[]> {
  const { rows } = await deps.db.pool.query<AbandonedRun>({
    name: "find_abandoned_automation_runs",
    text: `
      SELECT id, organization_id AS "organizationId", automation_id AS "automationId", brief->>'name' AS "automationName",
        short_id AS "shortId", lease_number AS "leaseNumber", CASE
        WHEN status = 'pending' THEN 'not_claimed'
        WHEN deadline_at <= querybell_now() THEN 'time_limit'
        ELSE 'agent_lost' END AS code
      FROM automation_runs
      WHERE agent = 'external' AND status IN ('pending', 'running') AND ready_at IS NOT NULL AND CASE status
        WHEN 'pending' THEN ready_at + make_interval(secs => (brief->>'timeLimitSeconds')::int) <= querybell_now()
        ELSE deadline_at <= querybell_now() OR (lease_until < now() AND lease_number >= ${maxAttempts}) END
      ORDER BY ready_at LIMIT 1000`,
  });
  const ended: string[] = [];
  for (const { code, ...run } of rows) {
    const end = { kind: "failed", failure: failures[code] } as const;
    if (await endAutomationRun(deps, run, end)) ended.push(run.id);
  }
  return ended;
}

export const timeLimitFailure: AutomationFailure = {
  code: "time_limit",
  reason:
    "The run took longer than its time limit. Give the automation more time, or make its queries read less.",
};

const failures = {
  time_limit: timeLimitFailure,
  not_claimed: {
    code: "not_claimed",
    reason:
      "No external agent claimed the run within its time limit. Check that the agent is running and that its key has the scope automations:run.",
  },
  agent_lost: {
    code: "agent_lost",
    reason: `The run was claimed ${maxAttempts} times, and each time the external agent fell silent before its end. Look at the agent's log.`,
  },
} satisfies Record<string, AutomationFailure>;
