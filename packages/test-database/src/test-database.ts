import { createDatabase, type DatabaseServer } from "@querybell/embedded-postgres";
import { templateName } from "./global-postgres.ts";

/** A database for one test file, cloned from the migrated template and dropped when disposed. */
export const createTestDatabase = (server: DatabaseServer) =>
  createDatabase(server, { template: templateName });
