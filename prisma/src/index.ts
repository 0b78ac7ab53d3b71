export { applyMigrations, MigrationError, neededGrants } from "./apply-migrations.ts";
export { withBaseline } from "./baseline.ts";
export { listAppliedMigrations } from "./database-state.ts";
export { listMigrations } from "./migrations-folder.ts";
export { createPublicRole, newPublicRole } from "./public-role.ts";
