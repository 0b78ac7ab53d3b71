export { applyMigrations } from "./apply-migrations.ts";
export { pendingMigrations } from "./pending-migrations.ts";
