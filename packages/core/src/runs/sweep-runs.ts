import type { Deps } from "../deps.ts";
import { findAbandoned } from "../leases/find-abandoned.ts";
import { queueRun, runJobKey } from "./insert-run.ts";

/**
 * Wakes somebody up for every unfinished run that nobody executes. Whoever hears it takes the run over, or
 * fails it when that has happened too often.
 */
export async function sweepRuns(deps: Pick<Deps, "db">): Promise<string[]> {
  const ids = await findAbandoned(deps, {
    table: "query_runs",
    jobKeyPrefix: runJobKey(""),
    where: "true",
  });
  if (ids.length > 0)
    await deps.db.transaction(async (tx) => {
      for (const id of ids) await queueRun(tx, id);
    });
  return ids;
}
