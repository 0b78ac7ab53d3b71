export { applyMigrations } from "./apply-migrations.ts";
export { listMigrations } from "./migrations-folder.ts";
export { pendingMigrations } from "./pending-migrations.ts";
