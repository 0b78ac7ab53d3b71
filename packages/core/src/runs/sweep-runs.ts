import type { Deps } from "../deps.ts";
import { requeueAbandoned } from "../leases/requeue-abandoned.ts";
import { queueRun, runJobKey } from "./insert-run.ts";

/** Wakes somebody up for every unfinished run that nobody executes. */
export const sweepRuns = (deps: Pick<Deps, "db">): Promise<string[]> =>
  requeueAbandoned(deps, { table: "query_runs", where: "true", jobKey: runJobKey, queue: queueRun });
