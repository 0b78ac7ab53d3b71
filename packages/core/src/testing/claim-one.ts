import { type ClaimedAutomationRun, claimAutomationRun } from "../automations/index.ts";
import type { Deps } from "../deps.ts";
import { type ClaimedQueryRun, claimQueryRun } from "../runs/index.ts";

/** Claims this run as a worker does, even when other runs are waiting. Undefined when it cannot be claimed. */
export const claimOneQueryRun = (deps: Deps, id: string): Promise<ClaimedQueryRun | undefined> =>
  claimOnly(deps, { table: "query_runs", id }, (claim) => claimQueryRun(deps, claim));

/** Claims this automation run in the same way. */
export const claimOneAutomationRun = (deps: Deps, id: string): Promise<ClaimedAutomationRun | undefined> =>
  claimOnly(deps, { table: "automation_runs", id }, (claim) => claimAutomationRun(deps, claim));

type Claim = Parameters<typeof claimQueryRun>[1];

/** A claim skips locked rows, so this locks the other unfinished runs of the organization. */
async function claimOnly<Run>(
  { db }: Deps,
  { table, id }: { table: "query_runs" | "automation_runs"; id: string },
  claim: (claim: Claim) => Promise<Run | undefined>,
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
    return await claim({
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
