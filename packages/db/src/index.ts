export { addJob } from "./add-job.ts";
export { deleteOldRows, inBatches } from "./batches.ts";
export { type Database, openDatabase, type Pool, publishAfterCommit, type Tx } from "./database.ts";
export { explainConnectionFailure } from "./explain-connection-failure.ts";
export { Prisma } from "./generated/client.ts";
export type { NoticeChannel, Notices } from "./notices.ts";
export {
  asService,
  currentRights,
  keepRights,
  nilId,
  type Rights,
  runRequest,
  setRights,
  withRights,
} from "./rights.ts";
export { inTransaction, onPool, type RunStatement, type Statement } from "./run-statement.ts";
export { createStatementNames } from "./statement-names.ts";
export { toAppError } from "./to-app-error.ts";
