import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import type { Fleet } from "./fleet.ts";
import { isAlive } from "./processes.ts";
import type { Sampling } from "./samples.ts";

interface LeftoversOptions {
  deps: Deps;
  fleet: Fleet;
  sampling: Sampling;
}

const stopWithinMs = 20_000;
const goneWithinMs = 10_000;

/** Rows that are there only while a process holds something. */
const held: Record<string, string> = {
  "locked jobs": "SELECT count(*)::int AS n FROM graphile_worker.jobs WHERE locked_by IS NOT NULL",
  "leases of runs":
    "SELECT ((SELECT count(*) FROM query_runs WHERE status = 'running') + (SELECT count(*) FROM automation_runs WHERE status = 'running'))::int AS n",
  "endpoints held by pumps": "SELECT count(*)::int AS n FROM webhook_endpoints WHERE lease_owner IS NOT NULL",
  "changes of uploads": "SELECT count(*)::int AS n FROM upload_stores WHERE change_until > querybell_now()",
  "advisory locks": "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'",
  "locks that wait": "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted",
};

/** Stops everything gracefully and looks for what is left: processes, connections, locks, leases. */
export async function findLeftovers({ deps, fleet, sampling }: LeftoversOptions): Promise<string[]> {
  const problems: string[] = [];
  const tookMs = await fleet.stopAll();
  if (tookMs >= stopWithinMs) problems.push("A process did not stop by itself.");
  const deadline = performance.now() + goneWithinMs;
  const alive = () => sampling.startedProcesses().filter(isAlive);
  while (alive().length > 0 && performance.now() < deadline) await delay(200);
  if (alive().length > 0) problems.push(`${alive().length} processes that it had started are still alive.`);

  const { pool } = deps.db;
  const { rows } = await pool.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE backend_type = 'client backend' AND client_port NOT IN (
       SELECT client_port FROM pg_stat_activity WHERE pid = pg_backend_pid())`,
  );
  // Those of this process: its pool and the connection for notices.
  const others = rows.length - (pool.totalCount - 1) - 1;
  if (others > 0) problems.push(`${others} connections are left open: ${JSON.stringify(rows)}`);
  for (const [what, text] of Object.entries(held)) {
    const found = await pool.query<{ n: number }>(text);
    if (found.rows[0]?.n) problems.push(`${found.rows[0].n} ${what} are left.`);
  }
  return problems;
}
