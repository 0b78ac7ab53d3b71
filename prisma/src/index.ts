export { applyMigrations } from "./apply-migrations.ts";
export { readDatabaseState } from "./database-state.ts";
export { MigrationError } from "./migration-error.ts";
export { listMigrations } from "./migrations-folder.ts";
