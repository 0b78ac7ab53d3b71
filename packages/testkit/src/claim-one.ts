import type { Deps } from "@querybell/core";
import { claimAutomationRun, type HeldRun } from "@querybell/core/automations";
import { claimQueryRun, type Lease } from "@querybell/core/runs";

/** Claims this run as a worker does, whatever else waits; undefined when it cannot be claimed. */
export const claimOneQueryRun = (deps: Deps, id: string): Promise<Lease | undefined> =>
  withoutOthers(deps, { table: "query_runs", id }, (claim) => claimQueryRun(deps, claim));

/** The same for a run of an automation. */
export const claimOneAutomationRun = (deps: Deps, id: string): Promise<HeldRun | undefined> =>
  withoutOthers(deps, { table: "automation_runs", id }, (claim) => claimAutomationRun(deps, claim));

type Claim = Parameters<typeof claimQueryRun>[1];

/** A claim skips rows that somebody has locked: here, the other unfinished runs of the organization. */
async function withoutOthers<Run>(
  { db }: Deps,
  { table, id }: { table: "query_runs" | "automation_runs"; id: string },
  take: (claim: Claim) => Promise<Run | undefined>,
): Promise<Run | undefined> {
  const client = await db.pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(
      `SELECT FROM ${table} WHERE id <> $1 AND status IN ('pending', 'running')
         AND organization_id = (SELECT organization_id FROM ${table} WHERE id = $1) FOR UPDATE`,
      [id],
    );
    const elsewhere = await client.query<{ id: string }>(
      `SELECT id FROM organizations WHERE id <> (SELECT organization_id FROM ${table} WHERE id = $1)`,
      [id],
    );
    return await take({
      workerId: "test",
      excludedOrganizations: elsewhere.rows.map((organization) => organization.id),
      organizationCeiling: null,
      totalCeiling: null,
      afterOrganization: null,
    });
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}
