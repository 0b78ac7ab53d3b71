import type { Deps } from "../deps.ts";
import { type RunLease, type RunTable, runTables } from "./run-lease.ts";

/** Expires a lease early and notifies the workers, so that one of them claims the run at once. */
export async function releaseLease(
  { db }: Pick<Deps, "db">,
  { table, id, leaseNumber }: RunLease & { table: RunTable },
): Promise<void> {
  await db.pool.query({
    name: `release_lease_of_${table}`,
    text: `
      WITH released AS (
        UPDATE ${table} SET lease_until = now() - interval '1 second'
        WHERE id = $1 AND lease_number = $2 AND status = 'running' RETURNING id
      )
      SELECT pg_notify('${runTables[table].waitingChannel}', id::text) FROM released`,
    values: [id, leaseNumber],
  });
}
