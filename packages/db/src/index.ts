export { addJob } from "./add-job.ts";
export { type Database, openDatabase, publishAfterCommit, type Tx } from "./database.ts";
export { deleteOldRows } from "./delete-old-rows.ts";
export { Prisma } from "./generated/client.ts";
export { inBatches } from "./in-batches.ts";
export type { NoticeChannel, Notices } from "./notices.ts";
export { inTransaction, onPool, type RunStatement, type Statement } from "./run-statement.ts";
export { toAppError } from "./to-app-error.ts";
