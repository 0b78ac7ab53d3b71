import { expect } from "vitest";
import type { Deps } from "../deps.ts";
import { executeRun } from "../runs/execute-run.ts";
import { claimOneQueryRun } from "./claim-one.ts";

// Sets the states of runs as a worker would.
export const toRunning = "status = 'running', lease_worker = 'w', lease_until = now()";
export const toCompleted = "status = 'completed', completed_at = now()";
export const toFailed =
  "status = 'failed', completed_at = now(), failure_code = 'cancelled', failure_reason = 'x'";

export const changeRun = (deps: Deps, runId: string, set: string) =>
  deps.db.pool.query(`UPDATE query_runs SET ${set} WHERE id = $1`, [runId]);

/** Executes a run to its end, as a worker does. */
export async function execute(deps: Deps, runId: string): Promise<void> {
  const lease = await claimOneQueryRun(deps, runId);
  if (!lease) return;
  await executeRun(deps, lease, {
    signal: new AbortController().signal,
    onError: (error) => expect.unreachable(String(error)),
  });
}
