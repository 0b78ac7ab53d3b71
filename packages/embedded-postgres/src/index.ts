export {
  createBareDatabase,
  createDatabase,
  type DatabaseServer,
  withConnection,
} from "./create-database.ts";
export { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
export { tryLockFolder } from "./folder-lock.ts";
export { freePort } from "./ports.ts";
export { sendSignal } from "./server-processes.ts";
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "./start-embedded-postgres.ts";
export { findSharedPostgres, startThrowawayPostgres } from "./start-throwaway-postgres.ts";
