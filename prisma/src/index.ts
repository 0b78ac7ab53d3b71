export { applyMigrations } from "./apply-migrations.ts";
export { withBaseline } from "./baseline.ts";
export { listAppliedMigrations } from "./database-state.ts";
export { MigrationError } from "./migration-error.ts";
export { listMigrations } from "./migrations-folder.ts";
export { neededGrants } from "./needed-grants.ts";
