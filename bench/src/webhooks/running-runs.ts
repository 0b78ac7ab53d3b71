import type { Deps } from "@querybell/core";
import { z } from "zod";

export const RunningRun = z.object({
  id: z.string(),
  organizationId: z.string(),
  automationId: z.string(),
  automationName: z.string(),
  shortId: z.string(),
  leaseNumber: z.int(),
});
type RunningRun = z.infer<typeof RunningRun>;

export const EndRequest = z.object({ runs: z.array(RunningRun), concurrency: z.int() });

export const runEnderEntry = new URL("run-ender-process.ts", import.meta.url);
export const bareEnderEntry = new URL("bare-ender-process.ts", import.meta.url);

/** Inserts automations of these organizations, each with a run that `holder` executes and that only has to end. */
export async function insertRunningRuns(
  { db }: Pick<Deps, "db">,
  organizationIds: string[],
  count: number,
  holder = "bench",
): Promise<RunningRun[]> {
  const { rows } = await db.pool.query(
    `WITH automation AS (
       INSERT INTO automations (id, organization_id, name, instruction, agent, enabled, when_busy, time_limit_seconds, created_by, created_at, updated_at)
       SELECT uuidv7(), m.organization_id, 'Bench', 'Look at it.', 'external', true, 'queue', 600, m.user_id, now(), now()
       FROM generate_series(0, $2::int - 1) n
         JOIN members m ON m.organization_id = ($1::uuid[])[1 + n % cardinality($1::uuid[])] RETURNING *
     )
     INSERT INTO automation_runs (id, organization_id, automation_id, short_id, agent, trigger_id, brief, created_at, ready_at, revision)
     SELECT uuidv7(), organization_id, id, translate(right(md5(id::text), 10), '01', 'xy'), agent, 'bench',
       jsonb_build_object('name', name, 'instruction', instruction, 'timeLimitSeconds', 600, 'references', '[]'::jsonb), now(), now(), 1
     FROM automation
     RETURNING id, organization_id AS "organizationId", automation_id AS "automationId", 'Bench' AS "automationName", short_id AS "shortId", 1 AS "leaseNumber"`,
    [organizationIds, count],
  );
  const runs = z.array(RunningRun).parse(rows);
  await db.pool.query(
    `UPDATE automation_runs SET status = 'running', started_at = now(), deadline_at = now() + interval '1 hour', lease_holder = $2,
       lease_until = now() + interval '1 hour', lease_number = 1
     WHERE id = ANY($1::uuid[])`,
    [runs.map(({ id }) => id), holder],
  );
  await db.pool.query("VACUUM ANALYZE automations, automation_runs");
  return runs;
}
