import type { Deps } from "../deps.ts";

const channels = {
  query_runs: "querybell_run_waiting",
  automation_runs: "querybell_automation_run_waiting",
} as const;

/** Expires a lease early and notifies the workers, so that one of them takes the run over at once. */
export async function releaseLease(
  { db }: Pick<Deps, "db">,
  table: keyof typeof channels,
  { id, leaseNumber }: { id: string; leaseNumber: number },
): Promise<void> {
  await db.pool.query({
    name: `release_lease_of_${table}`,
    text: `
      WITH released AS (
        UPDATE ${table} SET lease_until = now() - interval '1 second'
        WHERE id = $1 AND lease_number = $2 AND status = 'running' RETURNING id
      )
      SELECT pg_notify('${channels[table]}', id::text) FROM released`,
    values: [id, leaseNumber],
  });
}
