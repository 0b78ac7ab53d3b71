export { cancelRun } from "./cancel-run.ts";
export { type ClaimedQueryRun, claimQueryRun } from "./claim-query-run.ts";
export { executeRun } from "./execute-run.ts";
export { getRun } from "./get-run.ts";
export { triggerOf } from "./insert-run.ts";
export { listRuns } from "./list-runs.ts";
export { refreshQuery } from "./refresh-query.ts";
export { runQuery } from "./run-query.ts";
export { watchRun } from "./watch-run.ts";
