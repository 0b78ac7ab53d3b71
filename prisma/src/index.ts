export { applyMigrations } from "./apply-migrations.ts";
export { MigrationError } from "./migration-error.ts";
export { listMigrations } from "./migrations-folder.ts";
export { neededGrants } from "./needed-grants.ts";
