export { cancelRun } from "./cancel-run.ts";
export { type ClaimedQueryRun, claimQueryRun } from "./claim-query-run.ts";
export { executeRun } from "./execute-run.ts";
export { getRun, watchRun } from "./get-run.ts";
export { listRuns } from "./list-runs.ts";
export { refreshQuery, runQuery } from "./run-query.ts";
export { triggerOf } from "./start-run.ts";
